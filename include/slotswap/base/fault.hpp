// What went wrong: whose side it was, a stable token, and words for a person.
// Values, never exceptions, on the way of a request. No thread rule: plain data.
#pragma once

#include <boost/system/result.hpp>

#include <string>
#include <utility>

namespace slotswap::base {

enum class Side { client, server, us };

/// Whether the same request may be sent again by us.
enum class Retry { never, reused_only };

struct Fault {
  Fault() = default;
  Fault(Side side_, std::string code_, std::string detail_, Retry retry_ = Retry::never)
      : side(side_), code(std::move(code_)), detail(std::move(detail_)), retry(retry_) {}

  Side side = Side::us;
  std::string code;    // a token of docs/errors.md, or of the room that made it
  std::string detail;  // what, where, and what to do
  Retry retry = Retry::never;
};

/// A value or the fault in its place.
template <class T>
using Result = boost::system::result<T, Fault>;

/// Called by Result::value() on a fault: that is a mistake in the program, so it throws.
[[noreturn]] void throw_exception_from_error(Fault const& fault,
                                             boost::source_location const& where);

}  // namespace slotswap::base
