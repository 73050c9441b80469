// Room for a model: the least recently used idle one is saved and unloaded before the router would
// end it unsaved. No request waits for a slot while it holds another one.
#include "router_model.hpp"

#include <slotswap/telemetry/log.hpp>

#include <algorithm>
#include <optional>

namespace slotswap::swap {

namespace {

using slots::Presence;
using telemetry::Level;
using telemetry::Line;
using Kind = slots::Roster::Step::Kind;

// GET /models while something is waited for: with an event stream only in case it is late.
constexpr auto poll_beside_events = std::chrono::seconds(2);
constexpr auto poll = std::chrono::milliseconds(250);
// A router's own default, and what it may take longer.
constexpr auto default_stop = std::chrono::seconds(10);
constexpr auto stop_slack = std::chrono::seconds(5);
// Others load and unload as well: their luck is not tried for ever.
constexpr int most_tries = 8;

bool contains(base::Fault const& fault, char const* words) {
  return fault.detail.find(words) != std::string::npos;
}

}  // namespace

void Router::wake() {
  for (auto* signal : waiting_) signal->notify();
}

net::awaitable<void> Router::changed(base::TimePoint until, Cancel* cancel) {
  if (closed_ || (cancel != nullptr && cancel->requested())) co_return;
  net::Signal signal(loop_);
  waiting_.insert(&signal);
  if (cancel != nullptr) cancel->on_request([&signal] { signal.notify(); });
  auto const pause = following_ ? base::Duration(poll_beside_events) : base::Duration(poll);
  auto const news = co_await signal.wait_until(std::min(until, loop_.now() + pause));
  if (cancel != nullptr) cancel->on_request(nullptr);
  waiting_.erase(&signal);
  if (!news) co_await refresh();
}

// True: it is loaded, or the request itself will load it. False: forwarded as it is, and the router
// does what it can.
net::awaitable<base::Result<bool>> Router::place(std::string id, Need need, Cancel& cancel,
                                                 Use& use) {
  Place const in_line(*this);
  std::optional<base::TimePoint> loads_since;
  for (int tries = 0; tries < most_tries;) {
    if (closed_)
      co_return base::Fault(base::Side::us, "shutting_down", "slotswap is stopping; try again");
    if (cancel.requested())
      co_return base::Fault(base::Side::client, "client_gone", "the client left while it waited");
    auto const step = roster_.next(id, in_line.ticket());
    if (step.kind == Kind::go) {
      use.begin();
      co_return true;
    }
    if (step.kind == Kind::wait) {
      auto const loading = roster_.presence(id) == Presence::loading;
      if (!loading) loads_since.reset();
      if (loading && !loads_since) loads_since = loop_.now();
      auto const until = loading ? load_deadline(*loads_since) : base::TimePoint::max();
      if (loop_.now() >= until) co_return false;
      co_await changed(until, &cancel);
      continue;
    }
    auto const never = settings_of(id).unload == config::Unload::never ||
                       settings_of(step.victim).unload == config::Unload::never;
    if (step.kind == Kind::evict && !never) {
      auto const gone = co_await evict(step.victim, id);
      if (!gone) co_return false;
      continue;
    }
    ++tries;
    // There is room, or the router makes it.
    use.begin();
    use.keep_room(true);
    wake();
    if (need != Need::slot) co_return true;
    auto const loaded = co_await load(id, cancel);
    use.keep_room(false);
    if (loaded == Loaded::failed) co_return false;
    if (loaded == Loaded::no_room && never) co_return false;
    if (loaded == Loaded::no_room) co_await changed(loop_.now() + poll, &cancel);
  }
  co_return false;
}

base::TimePoint Router::load_deadline(base::TimePoint began) const {
  auto const limit = settings_.load_timeout;
  return limit <= base::Duration::zero() ? base::TimePoint::max() : began + limit;
}

telemetry::Line Router::load_line(std::string const& id) const {
  Line line(Level::info, "load");
  line.field("server", settings_.host.name).field("model", id);
  return line;
}

net::awaitable<Router::Loaded> Router::load(std::string id, Cancel& cancel) {
  auto& one = model(id);
  auto const began = loop_.now();
  auto const endings = one.endings;
  auto const sent = co_await server_.load(id);
  auto const runs = sent.has_error() && contains(sent.error(), "already running");
  if (guessed_) co_return co_await load_unseen(id, load_deadline(began), cancel);
  if (sent.has_error() && !runs) {
    auto const no_room = contains(sent.error(), "limit reached");
    auto line = load_line(id);
    line.field("result", no_room ? "no_room" : sent.error().code)
        .say("not loaded: " + sent.error().detail);
    if (no_room) co_await refresh();
    co_return no_room ? Loaded::no_room : Loaded::failed;
  }
  if (roster_.presence(id) == Presence::absent && one.endings == endings)
    saw(id, llama::ModelStatus::loading);
  auto const until = load_deadline(began);
  while (roster_.presence(id) == Presence::loading && loop_.now() < until) {
    if (closed_ || cancel.requested()) co_return Loaded::failed;
    co_await changed(until, &cancel);
  }
  auto line = load_line(id);
  line.field("ms", loop_.now() - began);
  auto const presence = roster_.presence(id);
  if (presence == Presence::present || presence == Presence::asleep) {
    line.field("result", "ok");
    // In a process that was just begun.
    if (!runs) host_of(id).ended();
    co_return Loaded::yes;
  }
  auto const late = presence == Presence::loading;
  line.field("result", late ? "late" : "failed")
      .say(late ? "it still loads after load_timeout_seconds: the request is forwarded as it is"
                : "its process ended: the request is forwarded, and the router says why");
  co_return Loaded::failed;
}

// Where the router does not say which models are loaded, the model's own facts do once it is there.
net::awaitable<Router::Loaded> Router::load_unseen(std::string id, base::TimePoint until,
                                                   Cancel& cancel) {
  auto there = false;
  while (!there && !closed_ && !cancel.requested() && loop_.now() < until) {
    auto const props = co_await model(id).server.props();
    there = props.has_value();
    if (!there) co_await changed(std::min(until, loop_.now() + poll), &cancel);
  }
  // By our own order it is there once it was asked for, however that ended.
  saw(id, llama::ModelStatus::loaded);
  co_return there ? Loaded::yes : Loaded::failed;
}

// True: there is room, or there may be at the next try.
net::awaitable<bool> Router::evict(std::string victim, std::string why) {
  roster_.leave(victim);
  auto& one = model(victim);
  // What the last run of slotswap left there, and nobody asked for since.
  auto const noted = vault_.book().has(settings_.host.name + "/" + victim, settings_.host.slots.id);
  if (noted && roster_.presence(victim) == Presence::present) co_await host_of(victim).resume();
  std::unique_ptr<Turn> turn;
  auto busy = false;
  if (one.host) {
    turn = co_await one.host->vacate(nullptr);
    busy = !turn;
  }
  if (!busy) busy = co_await used_by_others(victim);
  if (busy) {
    // As if it was used by one of ours: another one is chosen now.
    roster_.begin(victim);
    roster_.end(victim);
    roster_.left(victim, false);
    wake();
    co_await changed(loop_.now() + poll, nullptr);
    co_return true;
  }
  auto const gone = co_await unload(victim, why);
  roster_.left(victim, !gone);
  wake();
  co_return gone;
}

net::awaitable<bool> Router::used_by_others(std::string id) {
  // A look would wake it.
  if (roster_.presence(id) != Presence::present) co_return false;
  auto const seen = co_await model(id).server.slots(settings_.host.times.look);
  // Silence means busy, as older builds block until a batch ends.
  if (seen.has_error()) co_return seen.error().code == "upstream_timeout";
  co_return std::any_of(seen->begin(), seen->end(), [](auto const& slot) { return slot.busy; });
}

net::awaitable<bool> Router::unload(std::string id, std::string why) {
  auto const began = loop_.now();
  auto const sent = co_await server_.unload(id);
  auto const over = sent.has_error() && contains(sent.error(), "not running");
  auto gone = !sent.has_error() || over;
  if (over) saw(id, llama::ModelStatus::absent);
  if (gone) gone = co_await wait_for_end(id);
  Line line(gone ? Level::info : Level::warning, "unload");
  line.field("server", settings_.host.name)
      .field("model", id)
      .field("for", why)
      .field("ms", loop_.now() - began)
      .field("result", gone ? "ok" : "failed");
  if (!gone) {
    line.say(sent.has_error() ? "not unloaded: " + sent.error().detail
                              : "it did not end in its stop time: the router is left to itself");
  }
  co_return gone;
}

net::awaitable<bool> Router::wait_for_end(std::string id) {
  auto const stop = model(id).stop.value_or(default_stop) + stop_slack;
  auto const until = loop_.now() + stop;
  while (roster_.presence(id) != Presence::absent && loop_.now() < until && !closed_) {
    if (guessed_) {
      // While it leaves the router cannot reach it; when it is gone it is not loaded.
      auto const props = co_await model(id).server.props();
      if (props.has_error() && props.error().code == "refused") saw(id, llama::ModelStatus::absent);
      if (roster_.presence(id) == Presence::absent) break;
    }
    co_await changed(until, nullptr);
  }
  co_return roster_.presence(id) == Presence::absent;
}

// A client's own POST /models/unload: what is in the slot is saved first, and nobody gets it before
// the model is gone.
net::awaitable<base::Result<Admission>> Router::leave_to(std::string id, Cancel& cancel) {
  Admission admission;
  if (roster_.presence(id) == Presence::absent) co_return admission;
  std::unique_ptr<Turn> turn;
  if (model(id).host) turn = co_await model(id).host->vacate(&cancel);
  if (cancel.requested()) co_return admission;
  auto const leaving = std::make_shared<Leaving>(*this, id, std::move(turn));
  admission.use = leaving;
  admission.answered = [leaving](int status) { leaving->answered(status); };
  co_return admission;
}

net::awaitable<void> Router::finish_leaving(std::string id, std::unique_ptr<Turn> turn) {
  auto const held = std::move(turn);
  auto const gone = co_await wait_for_end(id);
  roster_.left(id, !gone);
  wake();
}

}  // namespace slotswap::swap
