// The parts of the file, each read into its part of Config; then what only shows between them.
#pragma once

#include "reader.hpp"

#include <slotswap/config/config.hpp>

#include <optional>
#include <string>
#include <vector>

namespace slotswap::config {

inline constexpr std::uint64_t kib = 1024;
inline constexpr std::uint64_t mib = 1024 * kib;
inline constexpr std::uint64_t gib = 1024 * mib;

/// A key that was given and may turn out to do nothing.
struct Given {
  std::string key;
  Place place;
};
/// Where what is checked later stands; one element for each server or route.
struct ServerPlaces {
  Place name;
  Place url;
  std::vector<Given> for_https;  // keys that do nothing without it
  bool url_good = false;
};
struct RoutePlaces {
  Place model;
  Place slots;
  std::optional<Place> ids;  // where the route's own `id` or `ids` stands
  Place linger;
  std::vector<Given> for_waiting;  // keys, here or in `defaults`, that do nothing without slots
  std::vector<Place> elsewhere;    // each `do: elsewhere`
  bool model_good = false;
  bool servers_good = true;
  bool ids_good = true;
  bool folders_good = true;  // false: a complaint of one was made, so it may be missing
};
struct Places {
  std::vector<ServerPlaces> servers;
  std::vector<RoutePlaces> routes;
  Place admin;
  Place buffer;
  Place max_bytes;
};

void read_listeners(Section const& top, Config& config, Places& places);
void read_general(Section const& top, Config& config, Places& places);
void read_servers(Section const& top, Config& config, Places& places);
/// After the servers: routes refer to them.
void read_routes(Section const& top, Config& config, Places& places);

/// Over what was read: doubles, what can never match, what contradicts.
void check(Config const& config, Places const& places, Findings& findings);

}  // namespace slotswap::config
