#include <slotswap/swap/found.hpp>

namespace slotswap::swap {

char const* to_string(Found found) {
  switch (found) {
    case Found::resident:
      return "resident";
    case Found::restored:
      return "restored";
    case Found::kept:
      return "kept";
    case Found::cold:
      break;
  }
  return "cold";
}

Found found_in(slots::Slot const& slot, std::string const& key, bool restored, bool failed) {
  if (slot.holds(key)) return restored ? Found::restored : Found::resident;
  // Its last request was given up, and it goes on with what that one read.
  if (slot.cancelled && slot.cancelled->guest.key == key) return Found::resident;
  return slot.holds() != nullptr && !failed ? Found::kept : Found::cold;
}

}  // namespace slotswap::swap
