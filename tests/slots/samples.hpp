// What several tests of this room need to write down.
#pragma once

#include <slotswap/slots/slot.hpp>

namespace slotswap::slots {

inline Stamp stamp(std::int64_t task, std::int64_t tokens) {
  Stamp result;
  result.task = task;
  result.tokens = tokens;
  return result;
}

}  // namespace slotswap::slots
