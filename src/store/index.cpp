// Every state stands in two orders, its tag's and the folder's, so that a prune starts at the one
// that goes first and looks at no more than it must.
#include <slotswap/store/index.hpp>

#include <algorithm>
#include <tuple>

namespace slotswap::store {
namespace {

bool over(std::uint64_t value, std::uint64_t limit) {
  return limit != 0 && value > limit;
}

}  // namespace

bool Index::LeastRecentlyUsedFirst::operator()(Manifest const* a, Manifest const* b) const {
  return std::tie(a->last_used, a->saved, a->key) < std::tie(b->last_used, b->saved, b->key);
}

Index::Index(std::vector<Manifest> states, std::uint64_t last_generation)
    : last_generation_(later_generation(0, last_generation)) {
  for (auto& state : states) put(std::move(state));
}

Manifest const* Index::find(StateKey const& key) const {
  auto const found = states_.find(key);
  return found == states_.end() ? nullptr : &found->second;
}

void Index::put(Manifest manifest) {
  if (auto const name = parse_data_name(manifest.data)) {
    last_generation_ = later_generation(last_generation_, name->generation);
  }
  erase(manifest.key);
  auto key = manifest.key;
  enter(states_.emplace(std::move(key), std::move(manifest)).first->second);
}

void Index::erase(StateKey const& key) {
  auto const found = states_.find(key);
  if (found == states_.end()) return;
  leave(found->second);
  states_.erase(found);
}

void Index::used(StateKey const& key, std::int64_t now_ms) {
  auto const found = states_.find(key);
  if (found == states_.end()) return;
  auto& state = found->second;
  leave(state);
  state.last_used = std::max(state.last_used, now_ms);
  ++state.uses;
  enter(state);
}

std::uint64_t Index::next_generation(std::int64_t now_microseconds) {
  auto const now = static_cast<std::uint64_t>(std::max<std::int64_t>(now_microseconds, 0));
  last_generation_ = std::max(last_generation_ + 1, now);
  return last_generation_;
}

PrunePlan Index::plan_prune(std::string const& tag, Limits const& limits,
                            std::set<StateKey> const& keep) const {
  PrunePlan plan;
  std::set<Manifest const*, LeastRecentlyUsedFirst> going;
  auto folder_bytes = all_.bytes;

  if (auto const found = tags_.find(tag); found != tags_.end()) {
    auto count = found->second.order.size();
    auto bytes = found->second.bytes;
    for (auto const* const state : found->second.order) {
      if (!over(count, limits.max_files) && !over(bytes, limits.max_bytes)) break;
      if (keep.contains(state->key)) continue;
      going.insert(state);
      --count;
      bytes -= state->bytes;
      folder_bytes -= state->bytes;
    }
    plan.over_bytes = over(bytes, limits.max_bytes);
  }
  for (auto const* const state : all_.order) {
    if (!over(folder_bytes, limits.max_folder)) break;
    if (keep.contains(state->key) || !going.insert(state).second) continue;
    folder_bytes -= state->bytes;
  }
  plan.over_folder = over(folder_bytes, limits.max_folder);
  for (auto const* const state : going) plan.remove.push_back(*state);
  return plan;
}

void Index::enter(Manifest const& state) {
  for (auto* const group : {&tags_[state.key.tag], &all_}) {
    group->order.insert(&state);
    group->bytes += state.bytes;
  }
}

void Index::leave(Manifest const& state) {
  auto const tag = tags_.find(state.key.tag);
  for (auto* const group : {&tag->second, &all_}) {
    group->order.erase(&state);
    group->bytes -= state.bytes;
  }
  if (tag->second.order.empty()) tags_.erase(tag);
}

}  // namespace slotswap::store
