// The list of routes, with what `defaults` gives all of them.
#include "route_parts.hpp"

#include <algorithm>
#include <utility>

namespace slotswap::config {
namespace {

struct Defaults {
  Route route;  // what each route begins with
  RoutePlaces where;
  std::string fingerprint;
  Place fingerprint_place;
};

void settle_servers(Section const& section, Route& route, Config const& config,
                    RoutePlaces& where) {
  if (auto own = read_servers_of(section, config, where)) {
    route.servers = std::move(*own);
  } else if (route.servers.empty()) {
    where.servers_good = config.servers.size() == 1;
    route.servers.push_back(0);
    if (config.servers.size() > 1) {
      section.reading().findings.error(section.place(),
                                       "`server` is missing in a route: with several servers "
                                       "each route names its own; the servers are: " +
                                           join(names_of(config.servers)));
    }
  }
  route.server = route.servers.front();
}

void read_shared(Section const& section, Route& route, RoutePlaces& where) {
  section.text("upstream_model", route.upstream_model);
  read_waiting(section, route, where);
  read_side_requests(section, route, where);
  read_slots(section, route, where);
}

Defaults read_defaults(Section const& top, Config const& config) {
  Defaults defaults;
  auto const* const entry = top.find("defaults");
  if (entry == nullptr) return defaults;
  if (entry->value->kind != Node::Kind::map) {
    auto const where = entry->value->kind == Node::Kind::null ? entry->place : entry->value->place;
    top.error(where, "defaults", "expected a map, found " + shown(*entry->value));
    return defaults;
  }
  Section const section(top.reading(), entry->value, "defaults");
  if (auto servers = read_servers_of(section, config, defaults.where)) {
    defaults.route.servers = std::move(*servers);
  }
  section.text("fingerprint", defaults.fingerprint);
  defaults.fingerprint_place = section.place_of("fingerprint");
  read_shared(section, defaults.route, defaults.where);
  return defaults;
}

void read_fingerprint(Section const& section, Defaults const& defaults, Route& route) {
  auto text = defaults.fingerprint;
  auto const own = section.text("fingerprint", text);
  if (route.slots) {
    route.slots->fingerprint = text;
  } else if (own && !text.empty()) {
    section.warning(section.place_of("fingerprint"), "fingerprint",
                    "not used: the route has no slots");
  }
}

void read_route(Section const& section, Defaults const& defaults, Config& config, Places& places) {
  auto route = defaults.route;
  auto where = defaults.where;
  where.model = section.place_of("model");
  where.slots = section.place_of("slots");
  where.ids.reset();
  where.model_good = section.needed_text("model", route.model);
  settle_servers(section, route, config, where);
  read_shared(section, route, where);
  warn_of_linger(section, route, where);
  if (route.slots && route.slots->state_dir.empty()) {
    route.slots->state_dir = route.slots->save_path;
  }
  read_fingerprint(section, defaults, route);
  config.routes.push_back(std::move(route));
  places.routes.push_back(std::move(where));
}

}  // namespace

void read_routes(Section const& top, Config& config, Places& places) {
  auto const defaults = read_defaults(top, config);
  auto const* const entry = top.find("routes");
  if (entry == nullptr) {
    top.reading().findings.error(
        top.place(), "`routes` is missing: a list of routes with `model` (\"*\" for every model)");
    return;
  }
  for (auto const& item : map_items(top.reading(), *entry)) {
    read_route(Section(top.reading(), item, "a route"), defaults, config, places);
  }
  auto const swapped = [](Route const& route) { return route.slots.has_value(); };
  if (!defaults.fingerprint.empty() &&
      std::none_of(config.routes.begin(), config.routes.end(), swapped)) {
    top.reading().findings.warning(defaults.fingerprint_place,
                                   "`fingerprint`: not used: no route has slots");
  }
}

}  // namespace slotswap::config
