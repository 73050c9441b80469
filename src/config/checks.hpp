// The parts of check().
#pragma once

#include "sections.hpp"

#include <string>

namespace slotswap::config {

inline std::string on_line(Place place) {
  return " (line " + std::to_string(place.line) + ")";
}

/// What routes say of slots and folders, each for itself and against each other.
void check_slots(Config const& config, Places const& places, Findings& findings);

}  // namespace slotswap::config
