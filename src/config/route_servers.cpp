// Which servers a route leads to.
#include "route_parts.hpp"

#include <algorithm>

namespace slotswap::config {
namespace {

std::optional<std::size_t> server_named(Config const& config, std::string const& name) {
  for (std::size_t i = 0; i < config.servers.size(); ++i) {
    if (config.servers[i].name == name) return i;
  }
  return std::nullopt;
}

// The server of this name; complains where there is none.
std::optional<std::size_t> look_up(Section const& section, std::string_view key, Value const& name,
                                   Config const& config) {
  auto const found = server_named(config, name.text);
  auto const names = names_of(config.servers);
  if (name.text.empty()) {
    section.error(name.place, key, "must not be empty");
    return std::nullopt;
  }
  // Without any name the servers have their own errors.
  if (!found && !names.empty()) {
    section.error(
        name.place, key,
        "no server is named " + shown(name.text) + hint(name.text, names, "the servers are"));
  }
  return found;
}

std::vector<std::size_t> one(Section const& section, Config const& config) {
  auto const name = section.value("server", "a text");
  auto const found = name ? look_up(section, "server", *name, config) : std::nullopt;
  return found ? std::vector{*found} : std::vector<std::size_t>{};
}

// All of them or none.
std::vector<std::size_t> several(Section const& section, Config const& config) {
  auto const names = section.list("servers", {"servers' names", "a name", "NAME"});
  if (!names) return {};
  if (names->empty()) section.error(section.place_of("servers"), "servers", "the list is empty");
  std::vector<std::size_t> servers;
  for (auto const& name : *names) {
    auto const found = look_up(section, "servers", name, config);
    if (!found) continue;
    if (std::find(servers.begin(), servers.end(), *found) != servers.end()) {
      section.error(name.place, "servers", shown(name.text) + " stands here twice");
    } else {
      servers.push_back(*found);
    }
  }
  return servers.size() == names->size() ? servers : std::vector<std::size_t>{};
}

}  // namespace

Words names_of(std::vector<Server> const& servers) {
  Words names;
  for (auto const& server : servers) {
    if (!server.name.empty()) names.push_back(server.name);
  }
  return names;
}

std::optional<std::vector<std::size_t>> read_servers_of(Section const& section,
                                                        Config const& config, RoutePlaces& where) {
  if (!section.has("server") && !section.has("servers")) return std::nullopt;
  std::vector<std::size_t> servers;
  if (section.one_of("server", "servers")) {
    servers = section.has("server") ? one(section, config) : several(section, config);
  }
  where.servers_good = !servers.empty();
  if (servers.empty()) servers.push_back(0);
  return servers;
}

}  // namespace slotswap::config
