// The map `slots` of a route or of `defaults`.
#include "folders.hpp"
#include "route_parts.hpp"

#include <algorithm>
#include <utility>

namespace slotswap::config {
namespace {

// In bytes; whatever is longer is no name of a session but a slip.
constexpr std::size_t longest_id = 256;

void read_pin(Section const& section, std::vector<std::string>& pin) {
  auto const read = section.list("pin", {"ids", "a text", "ID"});
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

constexpr std::uint64_t highest_slot = 9999;
constexpr std::size_t most_slots = 64;

// One of the list; complains where it is there already.
bool add_id(Section const& section, Value const& read, std::vector<int>& ids) {
  std::uint64_t number = 0;
  if (!section.count_of(read, "ids", number, 0, highest_slot)) return false;
  auto const id = static_cast<int>(number);
  if (std::find(ids.begin(), ids.end(), id) != ids.end()) {
    section.error(read.place, "ids", "the slot " + std::to_string(id) + " stands here twice");
    return false;
  }
  ids.push_back(id);
  return true;
}

bool read_ids(Section const& section, std::vector<int>& out) {
  if (std::uint64_t id = 0; section.count("id", id, 0, highest_slot)) {
    out.assign(1, static_cast<int>(id));
    return true;
  }
  auto const read = section.list("ids", {"slots", "a whole number from 0 to 9999", "0"});
  if (!read) return false;
  if (read->empty() || read->size() > most_slots) {
    section.error(section.place_of("ids"), "ids",
                  read->empty() ? std::string("the list is empty")
                                : "expected at most " + std::to_string(most_slots) +
                                      " slots, found " + std::to_string(read->size()));
    return false;
  }
  std::vector<int> ids;
  for (auto const& one : *read) {
    if (!add_id(section, one, ids)) return false;
  }
  out = std::move(ids);
  return true;
}

void read_map(Section const& section, Slots& slots, RoutePlaces& where) {
  if (section.has("id") || section.has("ids")) {
    where.ids = section.place_of(section.has("ids") ? "ids" : "id");
    where.ids_good = section.one_of("id", "ids") && read_ids(section, slots.ids);
    slots.id = slots.ids.front();
  }
  where.folders_good &= read_folder(section, "save_path", slots.save_path);
  where.folders_good &= read_folder(section, "state_dir", slots.state_dir);
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

}  // namespace

void read_slots(Section const& section, Route& route, RoutePlaces& where) {
  auto const* const entry = section.find("slots");
  if (entry == nullptr) return;
  if (entry->value->kind == Node::Kind::map) {
    if (!route.slots) route.slots.emplace();
    read_map(Section(section.reading(), entry->value, "slots"), *route.slots, where);
    return;
  }
  route.slots.reset();
  constexpr std::string_view expected = "a map with `save_path` or `state_dir`, or off";
  auto const read = section.value("slots", expected);
  if (!read || read->text == "off" || read->text == "false") return;
  section.error(read->place, "slots",
                "expected " + std::string(expected) + ", found " + shown(read->text));
}

}  // namespace slotswap::config
