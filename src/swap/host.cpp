#include <slotswap/swap/host.hpp>
#include <slotswap/telemetry/log.hpp>

#include <algorithm>
#include <utility>

namespace slotswap::swap {

namespace {

using telemetry::Level;
using telemetry::Line;

// Nobody is there, or nobody who answers.
bool is_absence(base::Fault const& fault) {
  return fault.code == "upstream_unreachable" || fault.code == "upstream_timeout" ||
         fault.code == "upstream_broken";
}

}  // namespace

Host::Host(net::Loop& loop, net::TaskGroup& tasks, llama::Server& server, Vault& vault,
           HostSettings settings)
    : loop_(loop),
      tasks_(tasks),
      server_(server),
      vault_(vault),
      settings_(std::move(settings)),
      model_(settings_.model),
      pool_(settings_.pool ? settings_.pool : std::make_shared<Pool>(loop, tasks)) {
  for (auto const id : settings_.slots.ids)
    keepers_.push_back(std::make_unique<Keeper>(environment(), *pool_, id, settings_.times));
}

KeeperEnvironment Host::environment() {
  KeeperEnvironment environment(loop_, tasks_, server_);
  environment.server_name = full_name();
  environment.folder_user = settings_.name;
  environment.max_folder_bytes = settings_.max_folder_bytes;
  environment.alive = [this](bool for_request) { return alive(for_request); };
  environment.restarted = [this, seen = restarts_]() mutable {
    return std::exchange(seen, restarts_) != restarts_;
  };
  environment.model = [this] { return model_; };
  environment.tag = [this] { return tag(); };
  environment.fit = [this](std::string const& route_text) { return fit(route_text); };
  environment.marker = [this] { return marker_; };
  environment.lost = [this] { lost(); };
  environment.looked = [this](auto const& slots, base::TimePoint began) {
    for (auto const& slot : slots) {
      if (slot.busy) return;
    }
    for (auto const& keeper : keepers_) keeper->seen_idle(slots, began);
  };
  environment.refused = [this](std::string const& words) { refused_call(words); };
  return environment;
}

std::string Host::full_name() const {
  return settings_.model.empty() ? settings_.name : settings_.name + "/" + settings_.model;
}

void Host::ended() {
  standing_ = Standing::unknown;
  // Another process is expected: its slot is known to be empty.
  marker_.clear();
  for (auto const& keeper : keepers_) keeper->emptied(vault_);
}

void Host::slept() {
  standing_ = Standing::unknown;
  for (auto const& keeper : keepers_) keeper->emptied(vault_);
}

void Host::lost() {
  if (standing_ != Standing::unknown) {
    Line(Level::info, "server").field("server", full_name()).field("state", "lost");
  }
  standing_ = Standing::unknown;
}

std::string Host::tag() const {
  return tag_of(model_, settings_.folder_name);
}

void Host::warn_once(std::string reason, std::string words) {
  if (!warned_.insert(reason + words).second) return;
  Line(Level::warning, "server").field("server", full_name()).field("state", reason).say(words);
}

void Host::refuse(std::string flag, std::string words) {
  standing_ = Standing::off;
  why_off_ = "the server runs without " + flag;
  warn_once("not_swappable",
            "swapping is off for this server: " + words + "; start it with " + flag);
}

// What a server with --slot-save-path says only of a word it does not know: a router that did not
// pass the query on.
void Host::refused_call(std::string const& words) {
  if (words.find("Invalid action") == std::string::npos) return;
  auto const known = std::exchange(*settings_.too_old, facts_.props.build) == facts_.props.build;
  too_old();
  if (known) return;
  Line(Level::warning, "server")
      .field("server", settings_.name)
      .field("state", "not_swappable")
      .say("swapping is off for this server: its router does not pass slot actions on (\"" + words +
           "\"); a llama-server of February 2026 or newer does (llama.cpp PR 19854), this is " +
           facts_.props.build);
}

void Host::too_old() {
  standing_ = Standing::off;
  why_off_ = "the server's router does not pass slot actions on";
}

// One at a time; who comes meanwhile waits for its end.
net::awaitable<void> Host::contact(bool may_wake) {
  if (contacting_) {
    net::Signal over(loop_);
    waiting_for_contact_.insert(&over);
    co_await over.wait();
    co_return;
  }
  contacting_ = true;
  auto props = co_await server_.props();
  unreachable_.reset();
  if (props.has_value()) {
    // Looking closer wakes it.
    auto const rests = props->sleeping && !may_wake;
    if (!rests) co_await look_closer(std::move(*props));
  } else {
    auto const& fault = props.error();
    standing_ = Standing::unknown;
    if (is_absence(fault)) unreachable_ = fault;
    Line(Level::info, "server")
        .field("server", full_name())
        .field("state", fault.code)
        .say(fault.detail);
  }
  contacting_ = false;
  for (auto* signal : std::exchange(waiting_for_contact_, {})) signal->notify();
}

net::awaitable<void> Host::look_closer(llama::Props props) {
  if (props.router) {
    standing_ = Standing::router;
    why_off_ = "the server is a router";
    co_return;
  }
  if (!props.build.empty() && *settings_.too_old == props.build) co_return too_old();
  if (!suits(props)) co_return;
  auto const slots = co_await server_.slots(settings_.times.look);
  // A server without it says 501; 500 is a trouble of the moment.
  auto const none = slots.has_error() && slots.error().code == "refused" &&
                    !slots.error().detail.starts_with("500:");
  if (none) co_return refuse("--slots", "GET /slots: " + slots.error().detail);
  auto const probe = co_await server_.probe();
  if (probe == llama::Probe::no_save_path)
    co_return refuse("--slot-save-path FOLDER", "it cannot save its slot");
  if (probe != llama::Probe::swappable || slots.has_error()) {
    standing_ = Standing::unknown;
    if (probe == llama::Probe::refused_key) {
      warn_once("refused_key", "the server refused the key of servers: api_key");
    } else if (probe == llama::Probe::unknown) {
      warn_once("odd_answer",
                "the server's answer to a slot call is not known: is it llama-server?");
    }
    co_return;
  }
  auto const known = co_await read_facts(std::move(props));
  if (!known) {
    standing_ = Standing::unknown;
    co_return;
  }
  standing_ = Standing::swappable;
  vault_.keep(tag(), keeping_of(settings_.slots, settings_.max_folder_bytes));
  say_ready();
  for (auto const& keeper : keepers_) resume_slot(*keeper, *slots);
}

// llama-server takes a slot that it does not have for another one.
bool Host::suits(llama::Props const& props) {
  auto const has = std::to_string(props.total_slots);
  auto const& ids = settings_.slots.ids;
  if (!several() && props.total_slots != 1) {
    refuse("-np 1", "it has " + has + " slots, and slots.ids names only one of them");
    return false;
  }
  auto const highest = *std::max_element(ids.begin(), ids.end());
  if (highest < props.total_slots) return true;
  refuse(
      "-np " + std::to_string(highest + 1),
      "it has " + has + " slots, numbered from 0, and slots.ids names " + std::to_string(highest));
  return false;
}

// After GET /slots, which woke a sleeping server: this would as well.
net::awaitable<bool> Host::read_facts(llama::Props props) {
  auto facts = co_await ask_facts(loop_, server_, vault_.files(), std::move(props));
  if (facts.has_error()) co_return false;
  facts_ = std::move(*facts);
  fits_.clear();
  if (!marker_.empty() && marker_ != facts_.props.media_marker) ++restarts_;
  marker_ = facts_.props.media_marker;
  model_ = facts_.model.id;
  co_return true;
}

// Asked several times in each swap, for the same few routes.
Fit const& Host::fit(std::string const& route_text) {
  auto const place = fits_.find(route_text);
  if (place != fits_.end()) return place->second;
  return fits_.emplace(route_text, fit_of(facts_, route_text)).first->second;
}

void Host::say_ready() {
  Line(Level::info, "server")
      .field("server", full_name())
      .field("state", "ready")
      .field("model", model_)
      .field("build", facts_.props.build)
      .field("n_ctx", facts_.props.n_ctx)
      .field("tag", tag())
      .field("fingerprint", fit(settings_.slots.fingerprint).fingerprint);
}

net::awaitable<void> Host::resume() {
  auto const& book = vault_.book();
  auto const noted = std::any_of(keepers_.begin(), keepers_.end(), [&](auto const& keeper) {
    return book.has(full_name(), keeper->slot_id());
  });
  if (noted && standing_ == Standing::unknown) co_await contact(false);
}

// Believed only when the process, the model and the whole stamp are those that were noted; and not
// of a server that was met late: a session that ran on another one since may be what it shows.
void Host::resume_slot(Keeper& keeper, std::vector<llama::SlotLook> const& slots) {
  auto const record = vault_.book().take(full_name(), keeper.slot_id());
  if (!record || !keeper.untouched() || pool_->ran_beside(seats())) return;
  Order order;
  order.kind = slots::Goal::Kind::session;
  order.settings = settings_.slots;
  for (auto const& route : settings_.routes) {
    if (route.name == record->route) order.settings = route.slots;
  }
  order.route = record->route;
  order.savable = record->savable;
  order.model = record->model;
  order.prompt_digest = record->prompt_digest;
  order.key.tag = tag();
  auto const mine = record->key.starts_with(order.key.tag + "_");
  auto const same_model = fit(order.settings.fingerprint).fingerprint == record->fingerprint;
  if (!mine || !same_model || record->marker != marker_) return;
  order.key.id = record->key.substr(order.key.tag.size() + 1);
  for (auto const& slot : slots) {
    if (slot.id != keeper.slot_id() || slot.busy) continue;
    if (slot.task == record->task && slot.tokens == record->tokens)
      keeper.resume(std::move(order), vault_, *record);
    return;
  }
}

net::awaitable<base::Result<bool>> Host::forget(std::string id) {
  // Whose states of a shared folder are meant is told by the model's name and the server's.
  if (!settings_.folder_name.empty() && model_.empty()) {
    co_return base::Fault(base::Side::us, "not_known",
                          "the server was not asked yet which model it serves, and others save "
                          "into the same folder: try again after its first request");
  }
  if (!vault_.usable()) {
    co_return base::Fault(base::Side::us, "not_known",
                          "another slotswap has the folder of saved states");
  }
  auto held = false;
  for (auto const& keeper : keepers_) held |= keeper->forget(id, vault_);
  auto const tag_only = settings_.folder_name.empty() ? std::string() : tag();
  auto const saved = co_await vault_.forget(id, tag_only);
  if (saved.has_error()) co_return saved.error();
  co_return held || *saved;
}

// The marker stays the same across a sleep and changes with the process.
net::awaitable<std::optional<bool>> Host::alive(bool for_request) {
  auto const props = co_await server_.props();
  if (props.has_error()) {
    lost();
    co_return std::nullopt;
  }
  if (props->media_marker != marker_) {
    lost();
    // Looking closer would wake a server that already sleeps again; for an idle save it is enough
    // that nothing is left to save.
    if (for_request) co_await contact();
    co_return false;
  }
  // Its model is loaded anew, perhaps from another file: it is asked again what it is.
  if (props->sleeping && for_request) {
    lost();
    co_await contact();
  }
  co_return !props->sleeping;
}

}  // namespace slotswap::swap
