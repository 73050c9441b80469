// Time, as every room counts it. Decisions never read a clock: they are given `now`.
#pragma once

#include <chrono>

namespace slotswap::base {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;
using Duration = Clock::duration;

/// Seconds as the configuration writes them (0.25, 30, 3600).
inline Duration seconds(double value) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(value));
}

inline double to_ms(Duration value) {
  return std::chrono::duration<double, std::milli>(value).count();
}

}  // namespace slotswap::base
