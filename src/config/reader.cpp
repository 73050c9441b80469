#include "reader.hpp"

#include "environment.hpp"
#include "keys.hpp"

#include <slotswap/base/utf8.hpp>

#include <algorithm>

namespace slotswap::config {
namespace {

bool holds_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return (c >= 0 && c < ' ') || c == '\x7F'; });
}

}  // namespace

std::string shown(std::string_view text) {
  constexpr std::size_t most = 60;
  if (text.empty()) return "an empty text";
  if (text.size() <= most) return "`" + std::string(text) + "`";
  auto end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return "`" + std::string(text.substr(0, end)) + "...`";
}

std::string shown(Node const& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a map";
    case Node::Kind::scalar:
      break;
  }
  return shown(node.text);
}

std::optional<Value> scalar(Reading& reading, Node const& node, Place key_place,
                            std::string_view key, std::string_view expected) {
  auto const name = "`" + std::string(key) + "`: ";
  if (node.kind != Node::Kind::scalar) {
    auto const where = node.kind == Node::Kind::null ? key_place : node.place;
    reading.findings.error(where,
                           name + "expected " + std::string(expected) + ", found " + shown(node));
    return std::nullopt;
  }
  std::string problem;
  auto text = expand(node.text, reading.environment, problem);
  if (text && base::first_invalid_utf8(*text) < text->size()) problem = "the value is not UTF-8";
  if (text && holds_control(*text)) problem = "the value holds a control character or a line break";
  if (!problem.empty()) {
    reading.findings.error(node.place, name + problem);
    return std::nullopt;
  }
  return Value{*text, node.place};
}

std::vector<NodePtr> map_items(Reading& reading, Entry const& entry, Empty empty) {
  std::vector<NodePtr> maps;
  auto const name = "`" + entry.key + "`: ";
  if (entry.value->kind != Node::Kind::list) {
    auto const where = entry.value->kind == Node::Kind::null ? entry.place : entry.value->place;
    reading.findings.error(where, name + "expected a list of maps, found " + shown(*entry.value));
    return maps;
  }
  for (auto const& item : entry.value->items) {
    if (item->kind == Node::Kind::map) {
      maps.push_back(item);
    } else {
      reading.findings.error(item->place, name + "expected a map, found " + shown(*item));
    }
  }
  if (entry.value->items.empty() && empty == Empty::wrong)
    reading.findings.error(entry.value->place, name + "the list is empty");
  return maps;
}

Section::Section(Reading& reading, NodePtr node, std::string_view title)
    : reading_(reading), node_(std::move(node)), title_(title) {
  report_unknown_keys();
}

void Section::report_unknown_keys() const {
  for (auto const& entry : node_->entries) {
    if (may_have(title_, entry.key)) continue;
    reading_.findings.error(entry.place, "unknown key " + shown(entry.key) + " in " + title_ +
                                             unknown_key_hint(title_, entry.key));
  }
}

Entry const* Section::find(std::string_view key) const {
  for (auto const& entry : node_->entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

Place Section::place_of(std::string_view key) const {
  auto const* const entry = find(key);
  return entry == nullptr ? place() : entry->value->place;
}

void Section::error(Place place, std::string_view key, std::string const& message) const {
  reading_.findings.error(place, "`" + std::string(key) + "`: " + message);
}

void Section::warning(Place place, std::string_view key, std::string const& message) const {
  reading_.findings.warning(place, "`" + std::string(key) + "`: " + message);
}

std::optional<Value> Section::value(std::string_view key, std::string_view expected) const {
  auto const* const entry = find(key);
  if (entry == nullptr) return std::nullopt;
  return scalar(reading_, *entry->value, entry->place, key, expected);
}

bool Section::text(std::string_view key, std::string& out) const {
  auto const read = value(key, "a text");
  if (read) out = read->text;
  return read.has_value();
}

bool Section::needed_text(std::string_view key, std::string& out) const {
  if (!has(key)) {
    reading_.findings.error(place(), "`" + std::string(key) + "` is missing in " + title_);
    return false;
  }
  if (!text(key, out)) return false;
  if (out.empty()) error(place_of(key), key, "must not be empty");
  return !out.empty();
}

bool Section::flag(std::string_view key, bool& out, Words const& words) const {
  auto const read = value(key, "one of " + join(words));
  if (!read) return false;
  auto const yes = read->text == "on" || read->text == "true";
  if (yes || read->text == "off" || read->text == "false") {
    out = yes;
    return true;
  }
  wrong_word(key, *read, words);
  return false;
}

std::optional<std::vector<Value>> Section::list(std::string_view key,
                                                ListWords const& words) const {
  auto const* const entry = find(key);
  if (entry == nullptr) return std::nullopt;
  auto const& node = *entry->value;
  if (node.kind != Node::Kind::list) {
    auto const where = node.kind == Node::Kind::null ? entry->place : node.place;
    auto const advice = node.kind == Node::Kind::scalar
                            ? "; a single one is a list too: [" + std::string(words.example) + "]"
                            : "";
    error(where, key,
          "expected a list of " + std::string(words.items) + ", found " + shown(node) + advice);
    return std::nullopt;
  }
  std::vector<Value> read;
  for (auto const& item : node.items) {
    // An item that is nothing has a place of its own, unlike a key's value.
    if (auto text = scalar(reading_, *item, item->place, key, words.item)) {
      read.push_back(std::move(*text));
    }
  }
  if (read.size() < node.items.size()) return std::nullopt;
  return read;
}

bool Section::one_of(std::string_view one, std::string_view several) const {
  auto const* const single = find(one);
  auto const* const list = find(several);
  if (single == nullptr) return true;
  if (list != nullptr) {
    error(list->place, several,
          "`" + single->key + "` stands in the same map (line " +
              std::to_string(single->place.line) + "); `" + single->key + "` is for one, `" +
              list->key + "` for several");
    return false;
  }
  if (single->value->kind == Node::Kind::list) {
    error(single->value->place, one,
          "expected only one, found a list; several stand in `" + std::string(several) + "`");
    return false;
  }
  return true;
}

void Section::wrong_word(std::string_view key, Value const& read, Words const& words) const {
  auto message = "expected one of " + join(words) + ", found " + shown(read.text);
  if (auto const meant = nearest(read.text, words)) message += "; did you mean `" + *meant + "`?";
  error(read.place, key, message);
}

}  // namespace slotswap::config
