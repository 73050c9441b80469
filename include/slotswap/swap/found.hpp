// What a session's request found in the slot once its turn had come and the swap was done. Pure.
#pragma once

#include <slotswap/slots/slot.hpp>

#include <string>

namespace slotswap::swap {

enum class Found {
  resident,  // the session itself: nothing had to be done
  restored,  // its saved state
  kept,      // another session, left there for what both prompts begin with: it has no state
  cold,      // nothing, or nobody knows what
};
char const* to_string(Found found);

/// `failed`: the swap did not come to its end, so that what the slot holds is no choice of ours.
Found found_in(slots::Slot const& slot, std::string const& key, bool restored, bool failed);

}  // namespace slotswap::swap
