#include <slotswap/swap/keeper.hpp>
#include <slotswap/telemetry/log.hpp>

#include <utility>

namespace slotswap::swap {

namespace {

using slots::Action;
using slots::Event;
using telemetry::Level;
using telemetry::Line;

base::Fault given_up() {
  return base::Fault(base::Side::client, "client_gone", "the client left while it waited");
}

char const* ended_how(slots::Outcome const& outcome, bool keyed) {
  if (outcome.kind == slots::Outcome::Kind::broken) return "the server ended the answer";
  if (outcome.resent) return "a kept connection had been closed: perhaps by another process";
  if (!keyed) return "a request without a session ran in it";
  return "the server does not show what the answer should have left";
}

std::string what_of(slots::SwapMachine const& machine) {
  std::string what = machine.saved() ? "save" : "";
  auto const add = [&what](char const* word) {
    what += what.empty() ? word : std::string("+") + word;
  };
  if (machine.restored()) add("restore");
  if (machine.erased()) add("erase");
  return what;
}

}  // namespace

Keeping keeping_of(config::Slots const& settings, std::uint64_t max_folder_bytes) {
  Keeping keeping;
  keeping.limits.max_files = settings.max_files;
  keeping.limits.max_bytes = settings.max_bytes;
  keeping.limits.max_folder = max_folder_bytes;
  keeping.max_age = settings.max_age;
  keeping.min_free = settings.min_free_bytes;
  keeping.with_checksum = settings.verify == config::Verify::checksum;
  keeping.replace_when_full = settings.publish == config::Publish::replace;
  return keeping;
}

Lease::Lease(net::TaskGroup& tasks, std::unique_ptr<Turn> turn, Vault& vault)
    : tasks_(tasks), turn_(std::move(turn)), vault_(vault) {}

Lease::~Lease() {
  slots::Outcome outcome;
  outcome.kind = slots::Outcome::Kind::broken;
  finish(outcome);
}

void Lease::add(Keeper& keeper, Order order, Swapped const& done) {
  parts_.emplace_back(&keeper, std::move(order));
  if (swapped.what.empty()) swapped.what = done.what;
  if (swapped.note.empty()) swapped.note = done.note;
  swapped.found = done.found;
  swapped.took += done.took;
}

void Lease::finish(slots::Outcome outcome) {
  if (!turn_) return;
  if (parts_.empty()) return turn_.reset();
  // Beside the client's answer: nobody waits for the stamp but the next owner.
  tasks_.spawn("settle", settle(std::move(turn_), std::move(parts_), vault_, outcome));
}

net::awaitable<void> Lease::settle(std::unique_ptr<Turn> turn, std::vector<Part> parts,
                                   Vault& vault, slots::Outcome outcome) {
  for (auto& [keeper, order] : parts) co_await keeper->settle(std::move(order), vault, outcome);
  turn.reset();
}

Keeper::Keeper(KeeperEnvironment environment, Pool& pool, int slot_id, KeeperTimes times)
    : environment_(std::move(environment)),
      slot_id_(slot_id),
      times_(times),
      pool_(pool),
      seat_(pool.add(seat_of_pool())),
      closing_(environment_.loop),
      idle_changed_(environment_.loop) {}

Seat Keeper::seat_of_pool() {
  Seat seat;
  seat.resident = [this] { return session(); };
  seat.linger = [this] { return std::exchange(linger_, base::Duration::zero()); };
  seat.freed = [this] { arm_idle_save(); };
  seat.left = [this](std::string const& id) { moved_away(id); };
  return seat;
}

// Also that of a request that was cancelled: its next one finds most of it there.
std::string Keeper::session() const {
  if (residents_.empty()) return {};
  auto const* who = resident();
  return who != nullptr ? who->order.key.id : residents_.begin()->second.order.key.id;
}

// The newest counts for a quarter.
void Keeper::measure(Order const& order, Swapped const& swapped) {
  if (swapped.what.empty() || swapped.what == "erase") return;
  auto const known = swap_times_.try_emplace(order.route, swapped.took);
  auto& mean = known.first->second;
  if (!known.second) mean = (mean * 3 + swapped.took) / 4;
}

net::awaitable<base::Result<Swapped>> Keeper::prepare(Order& order, Vault& vault, Cancel& cancel) {
  touched_ = true;
  disarm_idle_save();
  auto const began = environment_.loop.now();
  Swapped swapped;
  if (environment_.restarted()) slot_.forget();
  fit(order);
  owner_ = order.kind == slots::Goal::Kind::session ? order.key.text() : std::string();
  owner_gone_.clear();
  co_await run(order, vault, order.settings.busy_wait, cancel, swapped);
  swapped.took = environment_.loop.now() - began;
  // The server may have been found with another model meanwhile.
  fit(order);
  remember(order, vault);
  // What was restored meanwhile is the deleted session's as well.
  if (!owner_gone_.empty()) forget(order.key.id, vault);
  note_slot(vault);
  if (order.kind == slots::Goal::Kind::session) {
    auto const restored = swapped.what.ends_with("restore");
    swapped.found = found_in(slot_, order.key.text(), restored, !swapped.note.empty());
  }
  if (cancel.requested()) {
    owner_.clear();
    co_return given_up();
  }
  measure(order, swapped);
  co_return swapped;
}

void Keeper::fit(Order& order) const {
  order.key.tag = environment_.tag();
  order.model = environment_.model();
}

bool Keeper::offered(Order const& order, Vault const& vault) const {
  return order.kind == slots::Goal::Kind::session && order.key.tag == environment_.tag() &&
         vault.offers(order.key, environment_.fit(order.settings.fingerprint));
}

void Keeper::say_missing(Order const& order, Vault const& vault) const {
  auto const key = order.key.text();
  auto const own = slot_.holds(key) || (slot_.cancelled && slot_.cancelled->guest.key == key);
  if (order.kind != slots::Goal::Kind::session || own) return;
  auto const why = vault.misfit(order.key, environment_.fit(order.settings.fingerprint));
  if (!why) return;
  Line(Level::info, "restore")
      .field("server", environment_.server_name)
      .field("route", order.route)
      .field("session", order.key.id)
      .field("result", "miss")
      .say(*why);
}

// For work of our own, in the order of its coming.
net::awaitable<std::unique_ptr<Turn>> Keeper::wait_turn(Cancel* cancel) {
  touched_ = true;
  Wish wish;
  wish.seats.push_back(seat_);
  wish.lingers = false;
  co_return co_await pool_.wait(std::move(wish), cancel);
}

net::awaitable<slots::Note> Keeper::run(Order const& order, Vault& vault, base::Duration patience,
                                        Cancel& cancel, Swapped& swapped) {
  slots::Goal goal;
  goal.kind = order.kind;
  goal.key = order.key.text();
  goal.has_state = offered(order, vault);
  goal.erase_on_miss = order.settings.on_miss == config::OnMiss::erase;
  goal.savable = order.savable;
  auto times = times_.swap;
  times.busy_wait = patience;
  auto const was_unknown = slot_.unknown();
  slots::SwapMachine machine(slot_, goal, times);
  Vault::Quiet const quiet(vault);
  Event event;
  auto tried = false;
  for (;;) {
    event.cancelled = cancel.requested();
    auto const action = machine.step(event, environment_.loop.now());
    if (action.kind == Action::Kind::done) break;
    event = co_await perform(action, order, vault, cancel);
    tried = tried || action.kind == Action::Kind::restore;
  }
  // What the server is may have been asked only now.
  if (!tried && !cancel.requested()) say_missing(order, vault);
  say_unknown(was_unknown, slots::to_string(machine.note()));
  swapped.what = what_of(machine);
  if (machine.note() != slots::Note::none) swapped.note = slots::to_string(machine.note());
  co_return machine.note();
}

net::awaitable<Event> Keeper::perform(Action action, Order const& order, Vault& vault,
                                      Cancel& cancel) {
  Event event;
  switch (action.kind) {
    case Action::Kind::wait: {
      net::Signal woken(environment_.loop);
      cancel.on_request([&woken] { woken.notify(); });
      if (!cancel.requested()) co_await woken.wait_until(action.until);
      cancel.on_request(nullptr);
      event.kind = Event::Kind::woke;
      break;
    }
    case Action::Kind::ask_props: {
      auto const for_request = order.kind != slots::Goal::Kind::save_only;
      auto const alive = co_await environment_.alive(for_request);
      event.kind = alive ? Event::Kind::props : Event::Kind::failed;
      event.alive = alive.value_or(false) && !environment_.restarted();
      event.has_state = offered(order, vault);
      break;
    }
    case Action::Kind::look:
      event = co_await look(times_.look);
      break;
    case Action::Kind::save:
      event = co_await save(order);
      break;
    case Action::Kind::restore:
      event = co_await restore(order, vault);
      break;
    case Action::Kind::erase:
      event = co_await erase(order, vault);
      break;
    case Action::Kind::done:
      break;
  }
  co_return event;
}

// What goes on without its client keeps the slot until it is idle, or we end.
net::awaitable<void> Keeper::outlast(Order const& order) {
  auto const until = environment_.loop.now() + order.settings.busy_wait;
  while (!closed_ && environment_.loop.now() < until) {
    co_await closing_.wait_until(environment_.loop.now() + times_.swap.look_again);
    if (closed_) co_return;
    auto const seen = co_await look(times_.look);
    if (seen.stamp || seen.kind == Event::Kind::failed) co_return;
  }
}

net::awaitable<void> Keeper::settle(Order order, Vault& vault, slots::Outcome outcome) {
  std::optional<slots::Stamp> stamp;
  auto const keyed = order.kind == slots::Goal::Kind::session;
  auto const complete = outcome.kind == slots::Outcome::Kind::complete;
  auto const goes_on = outcome.detached && outcome.kind == slots::Outcome::Kind::cancelled;
  if (goes_on) co_await outlast(order);
  runs_on_ = goes_on && closed_;
  if (complete && keyed) {
    auto seen = co_await look(times_.stamp);
    // A machine under load: whoever comes next would wait for the same look.
    if (!seen.stamp && seen.kind == Event::Kind::looked) seen = co_await look(times_.late_stamp);
    stamp = seen.stamp;
    if (!stamp) {
      Line(Level::info, "stamp")
          .field("server", environment_.server_name)
          .field("session", order.key.id)
          .say(
              "GET /slots did not say in time what the slot holds: it is not saved before it does");
    }
  }
  slots::Guest guest;
  auto const gone = aside_ ? "its server was set aside" : std::exchange(owner_gone_, "");
  if (keyed && gone.empty()) guest = slots::Guest(order.key.text(), order.savable);
  auto const was_unknown = slot_.unknown();
  slots::settle(slot_, guest, outcome, stamp, environment_.loop.now());
  if (aside_) slot_.doubt();
  say_unknown(was_unknown, gone.empty() ? ended_how(outcome, keyed) : gone);
  if (outcome.kind == slots::Outcome::Kind::broken || outcome.resent) environment_.lost();
  idle_save_tried_ = false;
  owner_.clear();
  if (!gone.empty()) order.kind = slots::Goal::Kind::pass;
  remember(order, vault);
  note_slot(vault);
  auto const answered = complete && outcome.status >= 200 && outcome.status < 300;
  if (answered && keyed) linger_ = order.linger.value_or(swap_times_[order.route] / 4);
}

// Who is in the slot, or may turn out to be once a cancelled request has stopped, and how its state
// is to be saved.
void Keeper::remember(Order const& order, Vault& vault) {
  if (order.kind == slots::Goal::Kind::session)
    residents_.insert_or_assign(order.key.text(), Resident(order, vault));
  std::erase_if(residents_, [this](auto const& entry) {
    auto const& key = entry.first;
    return !slot_.holds(key) && !(slot_.cancelled && slot_.cancelled->guest.key == key);
  });
}

Keeper::Resident const* Keeper::resident() const {
  auto const* holds = slot_.holds();
  if (holds == nullptr) return nullptr;
  auto const place = residents_.find(holds->key);
  return place == residents_.end() ? nullptr : &place->second;
}

void Keeper::disarm_idle_save() {
  idle_at_ = base::TimePoint::max();
  idle_changed_.notify();
}

void Keeper::arm_idle_save() {
  // A cancelled request counts: what it read is worth as much as an answer's.
  auto const waiting_to_be_seen = slot_.cancelled && slot_.cancelled->guest.key;
  if (closed_ || idle_save_tried_ || residents_.empty() || !pool_.free(seat_)) return;
  if (!slot_.worth_saving() && !waiting_to_be_seen) return;
  auto const pause = residents_.begin()->second.order.settings.save_idle;
  if (pause <= base::Duration::zero()) return;
  idle_at_ = environment_.loop.now() + pause;
  if (!std::exchange(idle_watch_running_, true)) {
    environment_.tasks.spawn("idle save", watch_idle());
  }
  idle_changed_.notify();
}

net::awaitable<void> Keeper::watch_idle() {
  while (!closed_) {
    auto const changed = co_await idle_changed_.wait_until(idle_at_);
    if (changed) continue;
    idle_at_ = base::TimePoint::max();
    // Whoever else uses the slot now will be followed by another pause of ours.
    if (pool_.free(seat_)) co_await save_now(false);
  }
  idle_watch_running_ = false;
}

// A day's writes wear the disk; a switch saves all the same, and so does the end.
bool Keeper::within_allowance(Resident const& who) {
  if (who.vault.get().may_write(who.order.settings.max_write_bytes)) {
    said_allowance_ = false;
    return true;
  }
  idle_save_tried_ = true;
  if (std::exchange(said_allowance_, true)) return false;
  Line(Level::info, "save")
      .field("server", environment_.server_name)
      .field("route", who.order.route)
      .field("result", "skipped")
      .say("max_write_gib_per_day is reached: until it is not, only a switch saves");
  return false;
}

// Somebody's, of the session in the slot or of one whose cancelled request is still to be seen
// idle.
net::awaitable<slots::Note> Keeper::save_resident(base::Duration patience) {
  auto const who = residents_.begin()->second;
  Order order = who.order;
  order.kind = slots::Goal::Kind::save_only;
  Cancel never;
  Swapped swapped;
  auto const note = co_await run(order, who.vault, patience, never, swapped);
  note_slot(who.vault);
  co_return note;
}

net::awaitable<void> Keeper::save_now(bool last) {
  auto const turn = co_await wait_turn(nullptr);
  if (residents_.empty()) co_return;
  auto const& who = residents_.begin()->second;
  if (!last && !within_allowance(who)) co_return;
  // An answer that was cut at the end may still be stopping; in a pause there is always another
  // one. What goes on without its client may take hours.
  auto const patience =
      last && !runs_on_ ? who.order.settings.slot_call_timeout : base::Duration::zero();
  auto const note = co_await save_resident(patience);
  // Once in a pause, but a slot that others used is looked at again after another one.
  idle_save_tried_ = note != slots::Note::busy_too_long;
}

net::awaitable<bool> Keeper::clear_out() {
  disarm_idle_save();
  if (residents_.empty()) co_return true;
  auto const note = co_await save_resident(base::Duration::zero());
  co_return note != slots::Note::busy_too_long;
}

void Keeper::close() {
  closed_ = true;
  idle_changed_.notify();
  closing_.notify();
}

net::awaitable<void> Keeper::drain() {
  co_await save_now(true);
}

}  // namespace slotswap::swap
