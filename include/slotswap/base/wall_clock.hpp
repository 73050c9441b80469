// The time since 1970, as files note it. It may be set back: nothing waits by it.
#pragma once

#include <chrono>
#include <cstdint>

namespace slotswap::base {

template <class Unit>
std::int64_t wall_clock() {
  auto const now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<Unit>(now).count();
}

inline std::int64_t now_milliseconds() {
  return wall_clock<std::chrono::milliseconds>();
}

inline std::int64_t now_microseconds() {
  return wall_clock<std::chrono::microseconds>();
}

}  // namespace slotswap::base
