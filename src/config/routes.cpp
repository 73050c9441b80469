// The list of routes, with what `defaults` gives all of them.
#include "sections.hpp"

#include <sys/stat.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace slotswap::config {
namespace {

struct Defaults {
  std::string server;
  std::string upstream_model;
  std::optional<Slots> slots;
};

// What is wrong with a folder for files that this process must list, rename and unlink.
std::optional<std::string> folder_problem(std::string const& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0)
    return "cannot be used: " + std::string(std::strerror(errno));
  if (!S_ISDIR(about.st_mode)) return "is no folder";
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    return "cannot be written by this process: " + std::string(std::strerror(errno));
  }
  return std::nullopt;
}

void read_save_path(Section const& section, std::string& save_path) {
  std::string path;
  if (!section.text("save_path", path)) return;
  // One folder has one spelling, so that routes which share it are seen to.
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (path.empty()) {
    save_path.clear();
    return;
  }
  if (auto const problem = folder_problem(path)) {
    section.error(section.place_of("save_path"), "save_path", shown(path) + " " + *problem);
    return;
  }
  save_path = path;
}

// Over what is there already: a route's own keys win over those of `defaults`.
void read_slots_map(Section const& section, Slots& slots) {
  auto id = static_cast<std::uint64_t>(slots.id);
  if (section.count("id", id, 0, 9999)) slots.id = static_cast<int>(id);
  read_save_path(section, slots.save_path);
  section.choice<OnMiss>("on_miss", slots.on_miss,
                         {{"keep", OnMiss::keep}, {"erase", OnMiss::erase}});
  section.choice<NoSession>(
      "no_session", slots.no_session,
      {{"shared", NoSession::shared}, {"unsaved", NoSession::unsaved}, {"pass", NoSession::pass}});
  section.count("max_files", slots.max_files, 0, 1'000'000);
  section.bytes("max_gib", slots.max_bytes, gib, {0, 1024 * 1024});
  section.seconds("save_idle_seconds", slots.save_idle, any_seconds);
  section.seconds("busy_wait_seconds", slots.busy_wait, any_seconds);
  section.seconds("slot_call_timeout_seconds", slots.slot_call_timeout, some_seconds);
}

std::optional<Slots> read_slots(Section const& section, std::optional<Slots> const& defaults) {
  auto const* const entry = section.find("slots");
  if (entry == nullptr) return defaults;
  auto slots = defaults.value_or(Slots{});
  if (entry->value->kind == Node::Kind::map) {
    read_slots_map(Section(section.reading(), entry->value, "slots"), slots);
    return slots;
  }
  constexpr std::string_view expected = "a map ({} for all defaults), or off";
  auto const read = section.value("slots", expected);
  if (!read || read->text == "off" || read->text == "false") return std::nullopt;
  section.error(read->place, "slots",
                "expected " + std::string(expected) + ", found " + shown(read->text));
  return std::nullopt;
}

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
  section.text("upstream_model", defaults.upstream_model);
  defaults.slots = read_slots(section, std::nullopt);
  return defaults;
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
    Section const section(top.reading(), item, "a route");
    Route route;
    RoutePlaces where;
    where.model = section.place_of("model");
    where.slots = section.place_of("slots");
    where.model_good = section.needed_text("model", route.model);
    route.server = read_server_of(section, defaults, config);
    route.upstream_model = defaults.upstream_model;
    section.text("upstream_model", route.upstream_model);
    route.slots = read_slots(section, defaults.slots);
    config.routes.push_back(std::move(route));
    places.routes.push_back(where);
  }
}

}  // namespace slotswap::config
