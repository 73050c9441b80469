// Which state is offered to a server, and what becomes of one that did not turn out well.
#include "problems.hpp"

#include <slotswap/net/blocking.hpp>
#include <slotswap/swap/vault.hpp>
#include <slotswap/telemetry/log.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace slotswap::swap {

namespace {

using telemetry::Level;
using telemetry::Line;

constexpr char nothing_saved[] = "nothing is saved for this session";

}  // namespace

std::optional<std::string> Vault::misfit(store::StateKey const& key, Fit const& fit) const {
  auto const state = index_.find(key);
  if (!state) return filled_ ? std::optional<std::string>(nothing_saved) : std::nullopt;
  if (distrusted_.count(state->data) > 0) return "its file " + state->data + " is not trusted";
  return index_.is_read(key) ? unfit(*state, fit) : std::nullopt;
}

std::optional<store::Manifest> Vault::read_manifest(store::StateKey const& key) const {
  return index_.is_read(key) ? index_.find(key) : std::nullopt;
}

bool Vault::offers(store::StateKey const& key, Fit const& fit) const {
  return !misfit(key, fit);
}

net::awaitable<Vault::Offer> Vault::look(store::StateKey key, Fit fit, bool with_checksum) {
  Offer offer;
  // The manifest in place names an older state than the last run saved.
  if (unsettled_.contains(key)) co_await disk_.flush();
  if (auto reason = misfit(key, fit)) {
    offer.reason = *std::move(reason);
    co_return offer;
  }
  auto const before = index_.find(key);
  auto const known = read_manifest(key);
  auto const seen = before ? looked_at_.find(before->data) : looked_at_.end();
  store::Look look;
  if (seen != looked_at_.end()) {
    look.verdict = store::Look::Verdict::good;
    look.manifest = seen->second;
  } else {
    auto work = [files = files_, folders = folders_, key, known, with_checksum] {
      return store::look_before_restore(*files, folders, key, known, with_checksum);
    };
    look = co_await net::run_blocking(loop_, std::move(work));
  }
  // Removed meanwhile, by a prune or its owner.
  auto const removed = before ? !index_.has(key) : gone_.count(key) > 0;
  if (removed) {
    offer.reason = nothing_saved;
    co_return offer;
  }
  co_return judge(key, look, fit);
}

Vault::Offer Vault::judge(store::StateKey const& key, store::Look const& look, Fit const& fit) {
  using Verdict = store::Look::Verdict;
  Offer offer;
  offer.reason = look.reason.empty() ? nothing_saved : look.reason;
  switch (look.verdict) {
    case Verdict::gone:
      if (auto const state = index_.find(key)) drop(*state);
      break;
    case Verdict::changed:
      break;
    case Verdict::damaged:
      quarantine(look.manifest, look.reason);
      break;
    case Verdict::good: {
      auto const now = index_.find(key);
      auto manifest = look.manifest;
      if (now) manifest.last_used = std::max(manifest.last_used, now->last_used);
      // Taken by its commit during the look.
      if (now && now->data == manifest.data && !manifest.checksum)
        manifest.checksum = now->checksum;
      index_.put(manifest);
      if (auto reason = unfit(manifest, fit)) {
        offer.reason = *std::move(reason);
      } else {
        offer.state = std::move(manifest);
        offer.reason.clear();
      }
      break;
    }
  }
  return offer;
}

void Vault::refused(store::StateKey const& key, Fit const& fit) {
  auto state = index_.find(key);
  if (!state) return;
  state->refused_by = fit.start;
  index_.put(*state);
  rewrite("note that a server refused ", *state);
}

void Vault::set_aside(store::StateKey const& key, std::string const& reason) {
  if (auto const state = index_.find(key)) quarantine(*state, reason);
}

// A file that is still what was saved is no worse than chance: somebody stopped the server at that
// moment. The session's next request waits for the answer.
void Vault::deadly(store::StateKey const& key) {
  auto const state = index_.find(key);
  if (!state) return;
  std::string const reason = "the server went away while it restored it";
  if (suspected_.count(state->data) > 0) return quarantine(*state, reason + ", a second time");
  unsettled_.insert(key);
  auto const look = std::make_shared<store::Look>();
  auto work = [files = files_, folders = folders_, key, state, look] {
    *look = store::look_before_restore(*files, folders, key, *state, true);
    return std::string();
  };
  disk_.add("look at " + state->data, std::move(work), [this, key, state, look, reason] {
    unsettled_.erase(key);
    auto const now = index_.find(key);
    if (!now || now->data != state->data) return;
    if (look->verdict == store::Look::Verdict::damaged)
      return quarantine(*now, reason + ", and " + look->reason);
    suspected_.insert(now->data);
  });
}

void Vault::silent(store::StateKey const& key) {
  auto const state = index_.find(key);
  if (state && !suspected_.insert(state->data).second)
    quarantine(*state, "twice its restore had no end in time");
}

void Vault::quarantine(store::Manifest const& state, std::string const& reason) {
  ++quarantined_;
  Line(Level::warning, "quarantine")
      .field("folder", folder())
      .field("file", state.data)
      .field("session", state.key.id)
      .field("bytes", state.bytes)
      .field("total", quarantined_)
      .say("set aside, never offered to a server again: " + reason);
  drop(state);
  disk_.add("set aside " + state.data, [files = files_, folders = folders_, state, reason] {
    return problem_of(store::quarantine(*files, folders, state, reason));
  });
}

}  // namespace slotswap::swap
