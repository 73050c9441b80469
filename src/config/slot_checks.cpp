#include "checks.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace slotswap::config {
namespace {

// The first server that both routes lead to.
std::optional<std::size_t> common_server(Route const& route, Route const& other) {
  for (auto const server : route.servers) {
    if (leads_to(other, server)) return server;
  }
  return std::nullopt;
}

// What the folders of two routes say against each other: the states of one folder are known in one
// state_dir, and those of no other folder are.
std::optional<std::string> clash(Route const& route, Route const& other) {
  auto const& own = *route.slots;
  auto const& there = *other.slots;
  auto const same_server = common_server(route, other).has_value();
  auto const both_seen = !own.save_path.empty() && !there.save_path.empty();
  auto const same_path = both_seen && own.save_path == there.save_path;
  if (same_server && both_seen && !same_path) {
    return " gives the same server another `save_path`, " + shown(there.save_path) +
           "; a llama-server has one --slot-save-path";
  }
  if (own.state_dir.empty() || there.state_dir.empty()) return std::nullopt;
  auto const same_state_dir = own.state_dir == there.state_dir;
  if ((same_server || same_path) && !same_state_dir) {
    return std::string(" gives the same ") + (same_server ? "server" : "`save_path`") +
           " another `state_dir`, " + shown(there.state_dir) +
           "; what is known of one folder's states stands in one folder";
  }
  if (!same_server && !same_path && same_state_dir) {
    return " has the same `state_dir`, " + shown(there.state_dir) +
           ", for another folder of states; each needs one of its own";
  }
  return std::nullopt;
}

void check_folders(Config const& config, Places const& places, std::size_t i, Findings& findings) {
  for (std::size_t j = 0; j < i; ++j) {
    auto const& other = config.routes[j];
    if (!other.slots || !places.routes[j].folders_good || !places.routes[j].servers_good) continue;
    auto const problem = clash(config.routes[i], other);
    if (!problem) continue;
    findings.error(places.routes[i].slots, "`slots`: the route " + shown(other.model) +
                                               on_line(places.routes[j].model) + *problem);
    return;
  }
}

// The keys that say something about files, and so say nothing where no file is seen.
Words keys_about_files(Slots const& slots) {
  Words keys;
  auto const add = [&keys](bool set, char const* key) {
    if (set) keys.emplace_back(key);
  };
  add(slots.verify != Verify::stat, "verify");
  add(slots.publish != Publish::beside, "publish");
  add(slots.min_free_bytes != 0 && slots.min_free_bytes != Slots().min_free_bytes, "min_free_gib");
  add(slots.max_files > 0, "max_files");
  add(slots.max_bytes > 0, "max_gib");
  add(slots.max_age > Duration{}, "max_age");
  add(!slots.pin.empty(), "pin");
  return keys;
}

std::vector<int> sorted(std::vector<int> ids) {
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::string words_of(std::vector<int> const& ids) {
  Words words;
  for (auto const id : ids) words.push_back(std::to_string(id));
  return join(words);
}

void check_ids(Config const& config, Places const& places, std::size_t i, Findings& findings) {
  auto const& where = places.routes[i];
  auto const ids = sorted(config.routes[i].slots->ids);
  for (std::size_t j = 0; j < i; ++j) {
    auto const& other = config.routes[j];
    auto const& there = places.routes[j];
    if (!other.slots || !there.ids_good || !there.servers_good) continue;
    auto const server = common_server(config.routes[i], other);
    auto const others = sorted(other.slots->ids);
    if (!server || ids == others) continue;
    findings.error(where.ids.value_or(where.slots),
                   "`slots`: " + words_of(ids) + " of the server " +
                       shown(config.servers[*server].name) + " here, but " + words_of(others) +
                       on_line(there.ids.value_or(there.slots)) + " in the route " +
                       shown(other.model) +
                       "; slots belong to the server: all its routes with slots give the same");
    return;
  }
}

void check_route(Config const& config, Places const& places, std::size_t i, Findings& findings) {
  auto const& slots = *config.routes[i].slots;
  auto const& where = places.routes[i];
  if (where.ids_good && where.servers_good) check_ids(config, places, i, findings);
  if (!where.folders_good) return;
  if (where.servers_good) check_folders(config, places, i, findings);
  if (slots.state_dir.empty()) {
    findings.error(where.slots,
                   "`slots`: `state_dir` is needed where `save_path` is not set: the manifests "
                   "and the state file need a folder");
  }
  if (slots.save_path.empty() && !slots.state_dir.empty() && config.routes[i].servers.size() > 1) {
    findings.error(where.slots,
                   "`slots`: `save_path` is needed with several `servers`: where it is not seen a "
                   "server's folder is its own, and a `state_dir` belongs to one folder");
  }
  auto const idle = keys_about_files(slots);
  if (slots.save_path.empty() && !idle.empty()) {
    findings.warning(where.slots,
                     "`slots`: nothing is looked at or deleted without `save_path`, so these do "
                     "nothing: " +
                         join(idle));
  }
  if (slots.unload == Unload::never && slots.save_idle == Duration{}) {
    findings.warning(where.slots,
                     "`slots`: with `unload: never` only idle saves come before a router unloads a "
                     "model; without `save_idle_seconds` what the model held is lost");
  }
}

}  // namespace

void check_slots(Config const& config, Places const& places, Findings& findings) {
  auto any_folder = false;
  for (std::size_t i = 0; i < config.routes.size(); ++i) {
    auto const& slots = config.routes[i].slots;
    if (!slots) continue;
    any_folder = any_folder || !slots->save_path.empty();
    check_route(config, places, i, findings);
  }
  if (!any_folder && config.max_bytes > 0) {
    findings.warning(places.max_bytes,
                     "`max_gib`: nothing is deleted: no route has slots with a `save_path`");
  }
}

}  // namespace slotswap::config
