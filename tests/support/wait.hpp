// Bounded waiting for something that another process or thread does.
#pragma once

#include "support/raw_client.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>

namespace slotswap::test {

// Looks again and again, every 1 to 20 ms, until it is true; false when the time is over.
template <class Condition>
bool eventually(Condition&& condition, Milliseconds patience = Milliseconds{20'000}) {
  auto const deadline = std::chrono::steady_clock::now() + patience;
  for (int pause = 1; !condition(); pause = std::min(pause * 2, 20)) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    ::poll(nullptr, 0, pause);
  }
  return true;
}

}  // namespace slotswap::test
