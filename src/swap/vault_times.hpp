// What the files of the vault share: the wall clock, and a result as words.
#pragma once

#include <slotswap/base/fault.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace slotswap::swap {

inline std::int64_t now_milliseconds() {
  auto const now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

inline std::int64_t now_microseconds() {
  auto const now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

inline std::string problem_of(base::Result<void> const& done) {
  return done.has_error() ? done.error().detail : std::string();
}

}  // namespace slotswap::swap
