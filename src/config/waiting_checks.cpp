#include "checks.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace slotswap::config {
namespace {

// How many slots of each server are swapped, by any route.
std::vector<std::size_t> slots_of_servers(Config const& config) {
  std::vector<std::size_t> counts(config.servers.size(), 0);
  for (auto const& route : config.routes) {
    if (!route.slots) continue;
    for (auto const server : route.servers) {
      if (server < counts.size()) counts[server] = route.slots->ids.size();
    }
  }
  return counts;
}

// What stands in `defaults` or is an alias belongs to several routes: it is idle when none of them
// makes use of it.
class Idle {
 public:
  void used(Place place) { used_.insert({place.line, place.column}); }
  void idle(Place place, std::string message) { idle_.push_back({place, std::move(message)}); }
  void report(Findings& findings) {
    for (auto& [place, message] : idle_) {
      if (!used_.contains({place.line, place.column})) findings.warning(place, std::move(message));
    }
  }

 private:
  std::set<std::pair<int, int>> used_;
  std::vector<std::pair<Place, std::string>> idle_;
};

std::string not_used(std::string const& key) {
  return "`" + key + "`: not used: " +
         (key == "side_requests" ? "side requests are told apart" : "requests wait for a slot") +
         " only where a route of their server has `slots`";
}

void check_route(RoutePlaces const& where, std::size_t slots, Idle& keys) {
  for (auto const& given : where.for_waiting) {
    if (slots > 0) {
      keys.used(given.place);
    } else {
      keys.idle(given.place, not_used(given.key));
    }
  }
  for (auto const place : where.elsewhere) {
    if (slots > 1) keys.used(place);
    if (slots == 1) {
      keys.idle(place, "`do`: there is one slot in all, so `elsewhere` does what `isolate` does");
    }
  }
}

}  // namespace

void check_waiting(Config const& config, Places const& places, Findings& findings) {
  auto const counts = slots_of_servers(config);
  Idle keys;
  for (std::size_t i = 0; i < config.routes.size(); ++i) {
    // Of a server that was misnamed nothing is known, and nothing is said.
    std::size_t slots = places.routes[i].servers_good ? 0 : 2;
    for (auto const server : config.routes[i].servers) {
      if (server < counts.size()) slots += counts[server];
    }
    check_route(places.routes[i], slots, keys);
  }
  keys.report(findings);
}

}  // namespace slotswap::config
