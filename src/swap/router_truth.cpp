// What the router says of its models: an event stream, and its list where that has to be settled.
#include "router_model.hpp"

#include <slotswap/telemetry/log.hpp>

#include <algorithm>

namespace slotswap::swap {

namespace {

using llama::ModelStatus;
using slots::Presence;
using telemetry::Level;
using telemetry::Line;

constexpr auto first_pause = std::chrono::milliseconds(250);
constexpr auto longest_trust = std::chrono::minutes(1);
constexpr auto longest_pause = std::chrono::seconds(30);
// A build without the stream gets it by a new process only.
constexpr auto no_stream_pause = std::chrono::minutes(1);

Presence presence_of(ModelStatus status) {
  switch (status) {
    case ModelStatus::loading:
      return Presence::loading;
    case ModelStatus::loaded:
      return Presence::present;
    case ModelStatus::sleeping:
      return Presence::asleep;
    case ModelStatus::absent:
      break;
  }
  return Presence::absent;
}

}  // namespace

void Router::say(std::string state, std::string words, bool warning) {
  Line(warning ? Level::warning : Level::info, "router")
      .field("server", settings_.host.name)
      .field("state", state)
      .say(words);
}

void Router::say_once(std::string state, std::string words) {
  if (said_.insert(state + words).second) say(state, words, true);
}

void Router::begin(llama::Props const& props) {
  in_charge_ = true;
  take_limit(props);
  if (closed_ || std::exchange(follow_runs_, true)) return;
  tasks_.spawn("model events", follow());
}

void Router::take_limit(llama::Props const& props) {
  autoload_ = props.autoload;
  auto const most = props.max_instances.value_or(settings_.models_max);
  roster_.limit(static_cast<std::size_t>(std::max(most, 0)));
  if (!props.max_instances && settings_.models_max == 0) {
    say_once("no_limit",
             "it does not say how many models it loads at most: set models_max of this "
             "server, or its own evictions lose prompt caches");
  }
  // Where there is no event stream it is asked each minute.
  auto news = std::to_string(most) + " " + props.build;
  if (std::exchange(said_ready_, news) == news) return;
  Line(Level::info, "router")
      .field("server", settings_.host.name)
      .field("state", "ready")
      .field("models_max", most)
      .field("build", props.build);
}

// The list is believed as long as events tell what changes, and looked at now and then all the
// same: a stream may be cut off without a word.
net::awaitable<void> Router::settle() {
  auto const old = loop_.now() - listed_at_ > longest_trust;
  if (!listed_ || !following_ || old) co_await refresh();
}

net::awaitable<void> Router::refresh() {
  if (refreshing_) {
    // The list under way may be older than what made this one necessary.
    once_more_ = true;
    net::Signal over(loop_);
    listing_.insert(&over);
    co_await over.wait();
    co_return;
  }
  refreshing_ = true;
  do {
    once_more_ = false;
    heard_.clear();
    auto const list = co_await server_.models();
    if (list.has_value()) {
      read_list(*list);
      listed_ = true;
      listed_at_ = loop_.now();
    }
  } while (once_more_ && !closed_);
  refreshing_ = false;
  for (auto* signal : std::exchange(listing_, {})) signal->notify();
  wake();
}

void Router::read_list(std::vector<llama::RouterModel> const& list) {
  std::set<std::string> listed;
  ids_.clear();
  for (auto const& entry : list) {
    listed.insert(entry.id);
    ids_.insert_or_assign(entry.id, entry.id);
    for (auto const& alias : entry.aliases) ids_.emplace(alias, entry.id);
    auto& one = model(entry.id);
    one.sleep = entry.sleep;
    one.stop = entry.stop;
    warn_of_sleep(entry.id);
    if (!entry.status) {
      guessed_ = true;
      say_once("guessed",
               "it does not say which models are loaded: slotswap goes by its own "
               "order of use, and every other client of this router loses caches");
      continue;
    }
    guessed_ = false;
    if (!heard_.contains(entry.id)) {
      take(entry.id, *entry.status);
    }
  }
  for (auto const& [id, one] : models_) {
    if (!listed.contains(id) && !heard_.contains(id)) take(id, ModelStatus::absent);
  }
}

void Router::warn_of_sleep(std::string const& id) {
  auto const sleep = model(id).sleep;
  auto const& settings = settings_of(id);
  if (!sleep || *sleep <= base::Duration::zero()) return;
  if (settings.save_idle > base::Duration::zero() && settings.save_idle < *sleep) return;
  say_once("sleeps", "the model " + id + " sleeps after " +
                         std::to_string(std::chrono::ceil<std::chrono::seconds>(*sleep).count()) +
                         " s and drops its slot then: with a save_idle_seconds below that it is "
                         "saved before");
}

net::awaitable<std::optional<std::string>> Router::resolve(std::string name) {
  auto place = ids_.find(name);
  if (place == ids_.end()) {
    // Downloaded or configured since.
    co_await refresh();
    place = ids_.find(name);
  }
  if (place == ids_.end()) co_return std::nullopt;
  co_return place->second;
}

// Newer than a list that is under way.
void Router::saw(std::string const& id, ModelStatus status) {
  heard_.insert(id);
  take(id, status);
}

void Router::take(std::string const& id, ModelStatus status) {
  auto const before = roster_.presence(id);
  auto const now = presence_of(status);
  if (!roster_.saw(id, now)) return;
  auto& one = model(id);
  if (now == Presence::absent) ++one.endings;
  // One that wakes up says that it loads: its process goes on, with what slept() made of it.
  auto const ended = now == Presence::absent
                         ? before != Presence::loading
                         : now == Presence::loading && before == Presence::present;
  if (one.host && ended) one.host->ended();
  if (one.host && now == Presence::asleep) one.host->slept();
  wake();
}

void Router::on_event(std::string const& data) {
  auto const read = llama::read_model_event(data);
  if (read.status) {
    ids_.emplace(read.status->model, read.status->model);
    saw(read.status->model, read.status->status);
  }
  if (read.reload) tasks_.spawn("models", refresh());
}

net::awaitable<bool> Router::ask_what_it_is() {
  auto const props = co_await server_.props();
  if (props.has_error() || props->router) {
    if (props.has_value()) take_limit(*props);
    co_return true;
  }
  say("changed", "it is no router any more");
  in_charge_ = false;
  for (auto const& [id, one] : models_) saw(id, ModelStatus::absent);
  listed_ = false;
  co_return false;
}

net::awaitable<void> Router::follow() {
  base::Duration pause = first_pause;
  for (auto first = true; !closed_; first = false) {
    if (!first) {
      auto const still = co_await ask_what_it_is();
      if (!still || closed_) break;
    }
    stream_ = server_.upstream().take(true);
    std::function<void()> connected = [this, &pause] {
      following_ = true;
      listed_ = false;
      pause = first_pause;
      tasks_.spawn("models", refresh());
    };
    llama::Server::OnEvent event = [this](std::string const& data) { on_event(data); };
    auto const end =
        co_await server_.follow_events(stream_, std::move(connected), std::move(event));
    stream_.reset();
    auto const followed = std::exchange(following_, false);
    listed_ = false;
    if (closed_) break;
    // Each may be another process when it is seen next.
    if (followed) lost("");
    if (end.code == "refused") {
      say_once("no_events", "it has no GET /models/sse: its list of models is read instead");
      pause = no_stream_pause;
    } else if (followed) {
      say("events_lost", end.detail);
    }
    co_await pause_.wait_until(loop_.now() + pause);
    pause = std::min<base::Duration>(pause * 2, longest_pause);
  }
  follow_runs_ = false;
}

}  // namespace slotswap::swap
