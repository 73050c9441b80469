#include <slotswap/prompt/history.hpp>

#include <iterator>
#include <utility>

namespace slotswap::prompt {

namespace {

// The name stands in the list and in the map; nodes are estimated, so that many empty prompts are
// bounded too.
std::size_t footprint(std::string const& session, Prompt const& prompt) {
  constexpr std::size_t nodes = 256;
  return prompt.bytes() + 2 * session.size() + nodes;
}

}  // namespace

std::shared_ptr<Prompt const> History::find(std::string const& session) const {
  auto const found = by_session_.find(session);
  return found == by_session_.end() ? nullptr : found->second->prompt;
}

void History::put(std::string const& session, std::shared_ptr<Prompt const> prompt) {
  if (auto const found = by_session_.find(session); found != by_session_.end()) drop(found->second);
  if (!prompt) return;
  auto const bytes = footprint(session, *prompt);
  if (bytes > limit_) return;
  while (bytes_ + bytes > limit_) drop(std::prev(entries_.end()));
  entries_.emplace_front(session, std::move(prompt), bytes);
  by_session_.emplace(session, entries_.begin());
  bytes_ += bytes;
}

bool History::forget(std::string_view begin) {
  auto any = false;
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    auto const next = std::next(entry);
    if (entry->session.starts_with(begin)) {
      drop(entry);
      any = true;
    }
    entry = next;
  }
  return any;
}

void History::drop(std::list<Entry>::iterator entry) {
  bytes_ -= entry->bytes;
  by_session_.erase(entry->session);
  entries_.erase(entry);
}

}  // namespace slotswap::prompt
