// What a route and `defaults` may both say. Each is read over what is there already: a route's own
// keys over those of `defaults`.
#pragma once

#include "sections.hpp"

namespace slotswap::config {

void read_slots(Section const& section, Route& route, RoutePlaces& where);

}  // namespace slotswap::config
