// The parts of check().
#pragma once

#include "sections.hpp"

#include <algorithm>
#include <cstddef>

namespace slotswap::config {

inline bool leads_to(Route const& route, std::size_t server) {
  return std::find(route.servers.begin(), route.servers.end(), server) != route.servers.end();
}

/// What routes say of slots and folders, each for itself and against each other.
void check_slots(Config const& config, Places const& places, Findings& findings);

/// What is said of waiting where no request waits.
void check_waiting(Config const& config, Places const& places, Findings& findings);

}  // namespace slotswap::config
