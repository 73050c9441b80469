#include <slotswap/base/fault.hpp>

#include <stdexcept>

namespace slotswap::base {

void throw_exception_from_error(Fault const& fault, boost::source_location const& where) {
  throw std::logic_error(std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                         ": no value but a fault: " + fault.code + ": " + fault.detail);
}

}  // namespace slotswap::base
