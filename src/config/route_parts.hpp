// What a route and `defaults` may both say. Each is read over what is there already: a route's own
// keys over those of `defaults`.
#pragma once

#include "sections.hpp"

namespace slotswap::config {

/// Of `server` or `servers`: never empty; nothing where neither is there.
std::optional<std::vector<std::size_t>> read_servers_of(Section const& section,
                                                        Config const& config, RoutePlaces& where);
Words names_of(std::vector<Server> const& servers);

void read_slots(Section const& section, Route& route, RoutePlaces& where);

}  // namespace slotswap::config
