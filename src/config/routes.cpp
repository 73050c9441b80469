// The list of routes, with what `defaults` gives all of them.
#include "route_parts.hpp"

#include <algorithm>
#include <utility>

namespace slotswap::config {
namespace {

struct Defaults {
  Route route;  // what each route begins with
  RoutePlaces where;
  std::string server;
  std::string fingerprint;
  Place fingerprint_place;
};

Words names_of(std::vector<Server> const& servers) {
  Words names;
  for (auto const& server : servers) {
    if (!server.name.empty()) names.push_back(server.name);
  }
  return names;
}

void complain_of_server(Section const& section, std::string const& name, Config const& config) {
  auto const names = names_of(config.servers);
  if (names.empty()) return;  // the servers have their own errors
  section.error(section.place_of("server"), "server",
                "no server is named " + shown(name) + hint(name, names, "the servers are"));
}

std::optional<std::size_t> server_named(Config const& config, std::string const& name) {
  for (std::size_t i = 0; i < config.servers.size(); ++i) {
    if (config.servers[i].name == name) return i;
  }
  return std::nullopt;
}

std::size_t read_server_of(Section const& section, Defaults const& defaults, Config const& config) {
  auto name = defaults.server;
  if (section.has("server")) {
    if (!section.needed_text("server", name)) return 0;
    if (!server_named(config, name)) complain_of_server(section, name, config);
  } else if (name.empty() && config.servers.size() > 1) {
    section.reading().findings.error(section.place(),
                                     "`server` is missing in a route: with several servers "
                                     "each route names its own; the servers are: " +
                                         join(names_of(config.servers)));
  }
  return server_named(config, name).value_or(0);
}

void read_shared(Section const& section, Route& route, RoutePlaces& where) {
  section.text("upstream_model", route.upstream_model);
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
  if (section.has("server") && section.needed_text("server", defaults.server) &&
      !server_named(config, defaults.server)) {
    complain_of_server(section, defaults.server, config);
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
  where.model_good = section.needed_text("model", route.model);
  route.server = read_server_of(section, defaults, config);
  route.servers.assign(1, route.server);
  read_shared(section, route, where);
  if (route.slots && route.slots->state_dir.empty()) {
    route.slots->state_dir = route.slots->save_path;
  }
  read_fingerprint(section, defaults, route);
  config.routes.push_back(std::move(route));
  places.routes.push_back(where);
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
