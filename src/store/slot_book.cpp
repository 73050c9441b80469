#include "members.hpp"

#include <slotswap/store/slot_book.hpp>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <limits>

namespace slotswap::store {
namespace {

constexpr int this_format = 1;

base::Fault bad(std::string const& why) {
  return {base::Side::us, "bad_slot_book", std::string(slot_book_name) + " cannot be used: " + why};
}

json::object to_object(std::string const& server, int slot, SlotRecord const& record) {
  json::object object;
  object["server"] = server;
  object["slot"] = slot;
  object["marker"] = record.marker;
  object["fingerprint"] = record.fingerprint;
  object["key"] = record.key;
  object["task"] = record.task;
  object["tokens"] = record.tokens;
  object["dirty"] = record.dirty;
  object["savable"] = record.savable;
  object["route"] = record.route;
  object["model"] = record.model;
  object["prompt_digest"] = record.prompt_digest;
  return object;
}

SlotRecord read_record(Members& members) {
  SlotRecord record;
  record.marker = members.text("marker");
  record.fingerprint = members.text("fingerprint");
  record.key = members.text("key");
  record.task = members.integer("task", 0);
  record.tokens = members.integer("tokens", 0);
  record.dirty = members.flag("dirty");
  record.savable = members.flag("savable");
  record.route = members.text("route");
  record.model = members.text("model");
  record.prompt_digest = members.text("prompt_digest");
  return record;
}

base::Result<void> read_slot(json::value const& item, SlotBook& book) {
  if (!item.is_object()) return bad("a slot is no JSON object");
  Members members(item.get_object());
  auto const server = members.text("server");
  auto const slot = members.integer("slot", 0);
  if (slot > std::numeric_limits<int>::max()) members.complain("slot", "is too large");
  auto record = read_record(members);
  if (!members.complaint().empty()) return bad(members.complaint());
  book.slots.emplace(std::pair(server, static_cast<int>(slot)), std::move(record));
  return {};
}

base::Result<void> read_save(json::value const& item, SlotBook& book) {
  auto const* const text = item.if_string();
  if (text == nullptr) return bad("a save is no text");
  auto const manifest = std::string(text->data(), text->size());
  // The key stands in the data's name.
  boost::system::error_code error;
  auto const value = json::parse(*text, error);
  auto const* const object = error ? nullptr : value.if_object();
  if (object == nullptr) return bad("a save is no manifest");
  Members members(*object);
  auto const data = parse_data_name(members.text("data"));
  if (!data) return bad("a save names no data");
  auto read = from_json(manifest, data->key);
  if (!read) return bad(read.error().detail);
  book.saves.insert_or_assign(data->key, std::move(*read));
  return {};
}

/// Each item of a list that must be there.
template <class Read>
base::Result<void> read_list(json::object const& object, char const* name, Read read,
                             SlotBook& book) {
  auto const* const list = object.if_contains(name);
  if (list == nullptr || !list->is_array()) return bad("'" + std::string(name) + "' is no list");
  for (auto const& item : list->get_array()) {
    if (auto done = read(item, book); !done) return done;
  }
  return {};
}

}  // namespace

std::string to_json(SlotBook const& book) {
  json::array slots;
  for (auto const& [place, record] : book.slots)
    slots.push_back(to_object(place.first, place.second, record));
  json::array saves;
  for (auto const& [key, manifest] : book.saves) saves.emplace_back(to_json(manifest));
  json::object object;
  object["format"] = this_format;
  object["boot"] = book.boot;
  object["slots"] = std::move(slots);
  object["saves"] = std::move(saves);
  return json::serialize(object) + "\n";
}

base::Result<SlotBook> slot_book_from_json(std::string_view text) {
  boost::system::error_code error;
  auto const value = json::parse(json::string_view(text.data(), text.size()), error);
  if (error) return bad("it is not JSON: " + error.message());
  if (!value.is_object()) return bad("it is not a JSON object");
  Members top(value.get_object());
  SlotBook book;
  auto const format = top.integer("format", 1);
  book.boot = top.text("boot");
  if (!top.complaint().empty()) return bad(top.complaint());
  if (format != this_format) return bad("its format is " + std::to_string(format));
  auto done = read_list(value.get_object(), "slots", read_slot, book);
  if (done) done = read_list(value.get_object(), "saves", read_save, book);
  if (!done) return done.error();
  return book;
}

}  // namespace slotswap::store
