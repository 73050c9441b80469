// libFuzzer's way into one target. What it throws is nobody's to catch: libFuzzer keeps the input
// that led to it.
#include "fuzz/targets.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  slotswap::fuzz::SLOTSWAP_FUZZ_TARGET(std::string_view(reinterpret_cast<char const*>(data), size));
  return 0;
}
