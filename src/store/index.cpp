// Every state stands in two orders, its tag's and the folder's, so that a prune starts at the one
// that goes first and looks at no more than it must.
#include "packed.hpp"

#include <slotswap/base/text.hpp>
#include <slotswap/store/index.hpp>

#include <algorithm>
#include <tuple>

namespace slotswap::store {
namespace {

bool over(std::uint64_t value, std::uint64_t limit) {
  return limit != 0 && value > limit;
}

}  // namespace

Index::Text Index::Texts::number(std::string const& text) {
  auto const [place, fresh] = numbers_.emplace(text, static_cast<Text>(by_number_.size()));
  if (fresh) by_number_.push_back(&place->first);
  return place->second;
}

std::optional<Index::Text> Index::Texts::find(std::string const& text) const {
  auto const place = numbers_.find(text);
  return place == numbers_.end() ? std::nullopt : std::optional(place->second);
}

bool Index::LeastRecentlyUsedFirst::operator()(Entry const* a, Entry const* b) const {
  // Of two of one millisecond the higher generation was saved later.
  return std::tie(a->last_used, a->saved, a->generation, a->key) <
         std::tie(b->last_used, b->saved, b->generation, b->key);
}

Index::Index(std::vector<Manifest> states, std::uint64_t last_generation) {
  seen_generation(last_generation);
  for (auto const& state : states) put(state);
}

std::optional<Index::Key> Index::packed(StateKey const& key) const {
  auto const tag = texts_.find(key.tag);
  if (!tag || !base::is_hex32(key.id)) return std::nullopt;
  return Key{*tag, pack_hex(key.id)};
}

Index::Entry const* Index::entry_of(StateKey const& key) const {
  auto const place = packed(key);
  auto const found = place ? entries_.find(*place) : entries_.end();
  return found == entries_.end() ? nullptr : &found->second;
}

/// Outside of both orders, to be filled and entered.
Index::Entry& Index::entry_for(StateKey const& key) {
  erase(key);
  auto const place = Key{texts_.number(key.tag), pack_hex(key.id)};
  auto& entry = entries_[place];
  entry.key = place;
  return entry;
}

StateKey Index::key_of(Entry const& entry) const {
  return {texts_.text(entry.key.tag), base::to_hex(entry.key.id)};
}

Manifest Index::manifest_of(Entry const& entry) const {
  Manifest manifest;
  manifest.key = key_of(entry);
  manifest.data = data_name(manifest.key, entry.generation);
  manifest.bytes = entry.bytes;
  manifest.last_used = entry.last_used;
  if (!entry.read) return manifest;
  manifest.model = texts_.text(entry.model);
  manifest.fingerprint = texts_.text(entry.fingerprint);
  manifest.refused_by = texts_.text(entry.refused_by);
  manifest.tokens = entry.tokens;
  manifest.mtime_ns = entry.mtime_ns;
  if (entry.has_checksum) manifest.checksum = base::to_hex(entry.checksum);
  if (entry.has_digest) manifest.prompt_digest = hex_number(entry.prompt_digest);
  manifest.created = entry.created;
  manifest.saved = entry.saved;
  manifest.uses = entry.uses;
  return manifest;
}

std::optional<Manifest> Index::find(StateKey const& key) const {
  auto const* const entry = entry_of(key);
  return entry == nullptr ? std::nullopt : std::optional(manifest_of(*entry));
}

bool Index::is_read(StateKey const& key) const {
  auto const* const entry = entry_of(key);
  return entry != nullptr && entry->read;
}

std::vector<std::string> Index::tags_of(std::string const& id) const {
  std::vector<std::string> tags;
  for (auto const& [tag, group] : tags_) {
    if (has(StateKey(texts_.text(tag), id))) tags.push_back(texts_.text(tag));
  }
  return tags;
}

void Index::put(Manifest const& manifest) {
  auto const name = parse_data_name(manifest.data);
  if (!name || !base::is_hex32(manifest.key.id)) return;
  seen_generation(name->generation);
  auto& entry = entry_for(manifest.key);
  entry.generation = name->generation;
  entry.bytes = manifest.bytes;
  entry.last_used = manifest.last_used;
  entry.saved = manifest.saved;
  entry.created = manifest.created;
  entry.mtime_ns = manifest.mtime_ns;
  entry.tokens = manifest.tokens;
  entry.uses = manifest.uses;
  entry.model = texts_.number(manifest.model);
  entry.fingerprint = texts_.number(manifest.fingerprint);
  entry.refused_by = texts_.number(manifest.refused_by);
  entry.read = true;
  entry.has_checksum = manifest.checksum && base::is_hex32(*manifest.checksum);
  if (entry.has_checksum) entry.checksum = pack_hex(*manifest.checksum);
  auto const digest = from_hex_number(manifest.prompt_digest);
  entry.has_digest = digest.has_value();
  entry.prompt_digest = digest.value_or(0);
  enter(entry);
}

void Index::put_listed(Listed const& listed) {
  seen_generation(listed.generation);
  if (has(listed.key)) return;
  auto& entry = entry_for(listed.key);
  entry.generation = listed.generation;
  entry.bytes = listed.bytes;
  entry.last_used = listed.last_used;
  enter(entry);
}

void Index::erase(StateKey const& key) {
  auto const* const entry = entry_of(key);
  if (entry == nullptr) return;
  leave(*entry);
  entries_.erase(Key(entry->key));
}

void Index::used(StateKey const& key, std::int64_t now_ms) {
  auto const place = packed(key);
  auto const found = place ? entries_.find(*place) : entries_.end();
  if (found == entries_.end()) return;
  auto& entry = found->second;
  leave(entry);
  entry.last_used = std::max(entry.last_used, now_ms);
  ++entry.uses;
  enter(entry);
}

std::uint64_t Index::next_generation(std::int64_t now_microseconds) {
  auto const now = static_cast<std::uint64_t>(std::max<std::int64_t>(now_microseconds, 0));
  last_generation_ = std::max(last_generation_ + 1, now);
  return last_generation_;
}

void Index::seen_generation(std::uint64_t generation) {
  last_generation_ = later_generation(last_generation_, generation);
}

void Index::add_beside(std::string const& tag, std::uint64_t bytes) {
  for (auto* const group : {&tags_[texts_.number(tag)], &all_}) group->beside += bytes;
}

void Index::take_beside(std::string const& tag, std::uint64_t bytes) {
  for (auto* const group : {&tags_[texts_.number(tag)], &all_}) {
    group->beside -= std::min(group->beside, bytes);
  }
}

PrunePlan Index::plan_prune(std::string const& tag, Limits const& limits,
                            std::set<StateKey> const& keep) const {
  PrunePlan plan;
  std::set<Entry const*, LeastRecentlyUsedFirst> going;
  std::set<Key> kept;
  for (auto const& key : keep) {
    if (auto const place = packed(key)) kept.insert(*place);
  }
  auto folder_bytes = all_.bytes;
  auto const number = texts_.find(tag);
  if (auto const found = number ? tags_.find(*number) : tags_.end(); found != tags_.end()) {
    auto const& group = found->second;
    auto count = group.order.size();
    auto bytes = group.bytes;
    for (auto const* const entry : group.order) {
      auto const old = limits.oldest != 0 && entry->last_used < limits.oldest;
      auto const full = over(bytes + group.beside, limits.max_bytes);
      if (!old && !full && !over(count, limits.max_files)) break;
      if (kept.contains(entry->key)) continue;
      going.insert(entry);
      --count;
      bytes -= entry->bytes;
      folder_bytes -= entry->bytes;
    }
    plan.over_bytes = over(bytes, limits.max_bytes);
  }
  auto const goal = all_.bytes - std::min(all_.bytes, limits.make_room);
  for (auto const* const entry : all_.order) {
    auto const full = over(folder_bytes + all_.beside, limits.max_folder);
    if (!full && folder_bytes <= goal) break;
    if (kept.contains(entry->key) || !going.insert(entry).second) continue;
    folder_bytes -= entry->bytes;
  }
  plan.over_folder = over(folder_bytes, limits.max_folder);
  for (auto const* const entry : going) plan.remove.push_back(manifest_of(*entry));
  return plan;
}

void Index::enter(Entry const& entry) {
  for (auto* const group : {&tags_[entry.key.tag], &all_}) {
    group->order.insert(&entry);
    group->bytes += entry.bytes;
  }
}

void Index::leave(Entry const& entry) {
  auto const tag = tags_.find(entry.key.tag);
  for (auto* const group : {&tag->second, &all_}) {
    group->order.erase(&entry);
    group->bytes -= entry.bytes;
  }
  if (tag->second.order.empty() && tag->second.beside == 0) tags_.erase(tag);
}

}  // namespace slotswap::store
