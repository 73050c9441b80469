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

/// How its requests wait, and what is said to a client meanwhile.
void read_waiting(Section const& section, Route& route, RoutePlaces& where);
/// Once both of its keys are known.
void warn_of_linger(Section const& section, Route const& route, RoutePlaces const& where);

void read_side_requests(Section const& section, Route& route, RoutePlaces& where);

/// Keeps the place of the section's key, if that `says` anything.
void note(Section const& section, std::string_view key, bool says, RoutePlaces& where);

}  // namespace slotswap::config
