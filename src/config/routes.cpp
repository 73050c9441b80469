// The list of routes, with what `defaults` gives all of them.
#include "folders.hpp"
#include "sections.hpp"

#include <algorithm>
#include <utility>

namespace slotswap::config {
namespace {

struct ReadSlots {
  std::optional<Slots> slots;
  bool folders_good = true;  // false: a complaint of one was made, so it may be missing
};

struct Defaults {
  std::string server;
  std::string upstream_model;
  std::string fingerprint;
  ReadSlots slots;
  Place fingerprint_place;
};

// In bytes; whatever is longer is no name of a session but a slip.
constexpr std::size_t longest_id = 256;

void read_pin(Section const& section, std::vector<std::string>& pin) {
  auto const read = section.texts("pin", "ids");
  if (!read) return;
  std::vector<std::string> ids;
  for (auto const& id : *read) {
    if (id.text.empty() || id.text.size() > longest_id) {
      section.error(id.place, "pin",
                    "expected an id of 1 to " + std::to_string(longest_id) + " bytes, found " +
                        shown(id.text));
      return;
    }
    ids.push_back(id.text);
  }
  pin = std::move(ids);
}

// Over what is there already: a route's own keys win over those of `defaults`.
void read_slots_map(Section const& section, ReadSlots& read) {
  auto& slots = *read.slots;
  auto id = static_cast<std::uint64_t>(slots.id);
  if (section.count("id", id, 0, 9999)) {
    slots.id = static_cast<int>(id);
    slots.ids.assign(1, slots.id);
  }
  read.folders_good &= read_folder(section, "save_path", slots.save_path);
  read.folders_good &= read_folder(section, "state_dir", slots.state_dir);
  section.choice<Verify>("verify", slots.verify,
                         {{"stat", Verify::stat}, {"checksum", Verify::checksum}});
  section.choice<Publish>("publish", slots.publish,
                          {{"beside", Publish::beside}, {"replace", Publish::replace}});
  section.choice<Unload>("unload", slots.unload,
                         {{"explicit", Unload::explicitly}, {"never", Unload::never}});
  section.bytes("min_free_gib", slots.min_free_bytes, gib, {0, 1024 * 1024});
  section.choice<OnMiss>("on_miss", slots.on_miss,
                         {{"keep", OnMiss::keep}, {"erase", OnMiss::erase}});
  section.choice<NoSession>(
      "no_session", slots.no_session,
      {{"shared", NoSession::shared}, {"unsaved", NoSession::unsaved}, {"pass", NoSession::pass}});
  section.count("max_files", slots.max_files, 0, 1'000'000);
  section.bytes("max_gib", slots.max_bytes, gib, {0, 1024 * 1024});
  section.span("max_age", slots.max_age);
  read_pin(section, slots.pin);
  section.bytes("max_write_gib_per_day", slots.max_write_bytes, gib, {0, 1024 * 1024});
  section.seconds("save_idle_seconds", slots.save_idle, any_seconds);
  section.seconds("busy_wait_seconds", slots.busy_wait, any_seconds);
  section.seconds("slot_call_timeout_seconds", slots.slot_call_timeout, some_seconds);
}

ReadSlots read_slots(Section const& section, ReadSlots const& defaults) {
  auto const* const entry = section.find("slots");
  if (entry == nullptr) return defaults;
  if (entry->value->kind == Node::Kind::map) {
    auto slots = defaults;
    if (!slots.slots) slots.slots.emplace();
    read_slots_map(Section(section.reading(), entry->value, "slots"), slots);
    return slots;
  }
  constexpr std::string_view expected = "a map with `save_path` or `state_dir`, or off";
  auto const read = section.value("slots", expected);
  if (!read || read->text == "off" || read->text == "false") return {};
  section.error(read->place, "slots",
                "expected " + std::string(expected) + ", found " + shown(read->text));
  return {};
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
  section.text("fingerprint", defaults.fingerprint);
  defaults.fingerprint_place = section.place_of("fingerprint");
  defaults.slots = read_slots(section, {});
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
  Route route;
  RoutePlaces where;
  where.model = section.place_of("model");
  where.slots = section.place_of("slots");
  where.model_good = section.needed_text("model", route.model);
  route.server = read_server_of(section, defaults, config);
  route.servers.assign(1, route.server);
  route.upstream_model = defaults.upstream_model;
  section.text("upstream_model", route.upstream_model);
  auto read = read_slots(section, defaults.slots);
  where.folders_good = read.folders_good;
  route.slots = std::move(read.slots);
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
