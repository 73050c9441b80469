// The keeper's calls to the server's slot, one at a time and inside a turn: what each answer means
// for the slot, and its line in the log.
#include <slotswap/swap/keeper.hpp>
#include <slotswap/telemetry/log.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace slotswap::swap {

using slots::Event;
using telemetry::Level;
using telemetry::Line;

namespace {

/// The server has its slot calls in order: what came before is over.
template <class T>
bool answered(base::Result<T> const& call) {
  return call.has_value() || call.error().code == "refused";
}

Event failure(base::Fault const& fault) {
  Event event;
  // A server that is loading is another process, or lost its slot as one.
  event.kind = Event::Kind::failed;
  if (fault.code == "refused") event.kind = Event::Kind::refused;
  if (fault.code == "refused_key") event.kind = Event::Kind::denied;
  return event;
}

Event refused() {
  Event event;
  event.kind = Event::Kind::refused;
  return event;
}

Event success(std::int64_t tokens) {
  Event event;
  event.kind = Event::Kind::ok;
  event.tokens = tokens;
  return event;
}

Line& call_line(Line& line, std::string const& server, std::string const& route,
                store::StateKey const& key, base::Duration took) {
  return line.field("server", server)
      .field("route", route)
      .field("session", key.id)
      .field("ms", took);
}

}  // namespace

// llama-server looks for clients that left only when no slot has had a result for a second: beside
// another one's stream such a request may run to its end (docs/llama-server.md, "Several slots").
void Keeper::say_kept_alive(std::vector<llama::SlotLook> const& slots) {
  if (!slot_.cancelled || slot_.cancelled->at == kept_alive_) return;
  auto const own = [this](llama::SlotLook const& slot) { return slot.id == slot_id_; };
  auto const busy_here = [&](auto const& slot) { return slot.busy && own(slot); };
  auto const busy_there = [&](auto const& slot) { return slot.busy && !own(slot); };
  auto const here = std::any_of(slots.begin(), slots.end(), busy_here);
  auto const there = std::any_of(slots.begin(), slots.end(), busy_there);
  if (!here || !there) return;
  kept_alive_ = slot_.cancelled->at;
  Line(Level::info, "slot")
      .field("server", environment_.server_name)
      .field("slot", slot_id_)
      .field("state", "kept_alive")
      .say(
          "a request whose client left runs on, perhaps to its end, while another slot works: the "
          "slot is waited for");
}

net::awaitable<Event> Keeper::look(base::Duration timeout) {
  Event event;
  event.kind = Event::Kind::looked;
  auto const began = environment_.loop.now();
  auto const slots = co_await environment_.server.slots(timeout);
  if (slots.has_error()) {
    // Silence means busy (older builds block until a batch ends); a server that is not there is not
    // waited for.
    if (slots.error().code != "upstream_timeout") event.kind = Event::Kind::failed;
    if (slots.error().code == "upstream_unreachable" || slots.error().code == "upstream_broken")
      environment_.lost();
    co_return event;
  }
  say_kept_alive(*slots);
  environment_.looked(*slots, began);
  for (auto const& slot : *slots) {
    if (slot.id != slot_id_ || slot.busy) continue;
    event.stamp = slots::Stamp{slot.task, slot.tokens};
  }
  co_return event;
}

// The session that leaves: it is saved as its own last request asked, not as the one that comes.
net::awaitable<Event> Keeper::save(Order const& order) {
  auto const* who = resident();
  if (who == nullptr) co_return refused();
  auto const leaving = who->order;
  forgotten_ = false;
  Vault& target = who->vault;
  auto const& settings = leaving.settings;
  auto const keeping = keeping_of(settings, environment_.max_folder_bytes);
  auto const swaps = order.kind == slots::Goal::Kind::session && order.key != leaving.key;
  std::set<store::StateKey> keep;
  if (swaps) keep.insert(order.key);
  auto const name =
      co_await target.place_for(leaving.key, slot_.holds()->tokens, keeping, std::move(keep));
  if (name.empty()) co_return refused();
  auto const began = environment_.loop.now();
  auto const saved = co_await environment_.server.save(slot_id_, name, settings.slot_call_timeout);
  auto const took = environment_.loop.now() - began;
  auto const refuse = [&](base::Fault const& fault) {
    target.burn(name);
    environment_.refused(fault.detail);
    Line line(Level::warning, "save");
    call_line(line, environment_.server_name, leaving.route, leaving.key, took)
        .field("file", name)
        .field("result", fault.code)
        .say("not saved: " + fault.detail);
    return failure(fault);
  };
  if (answered(saved)) target.answered(environment_.folder_user);
  if (saved.has_error()) co_return refuse(saved.error());
  if (saved->tokens <= 0) {
    base::Fault const empty(base::Side::server, "refused", "the slot was empty (n_saved 0)");
    co_return refuse(empty);
  }
  if (aside_) {
    base::Fault const late(base::Side::server, "refused", "its server was set aside meanwhile");
    co_return refuse(late);
  }
  if (forgotten_) {
    base::Fault const deleted(base::Side::us, "refused", "its session was deleted meanwhile");
    co_return refuse(deleted);
  }
  Written written;
  written.key = leaving.key;
  written.file = name;
  written.model = leaving.model;
  written.fingerprint = environment_.fit(settings.fingerprint).fingerprint;
  written.prompt_digest = leaving.prompt_digest;
  written.tokens = saved->tokens;
  written.bytes = static_cast<std::uint64_t>(saved->bytes);
  std::optional<Vault::Next> next;
  if (swaps) {
    next.emplace();
    next->key = order.key;
    next->fit = environment_.fit(order.settings.fingerprint);
    next->with_checksum = order.settings.verify == config::Verify::checksum;
  }
  auto const published = co_await target.publish(written, keeping, std::move(next));
  if (forgotten_) {
    // Deleted while its file was looked at.
    target.remove_late(leaving.key);
    co_return refused();
  }
  if (published.has_error()) {
    base::Fault const bad(base::Side::server, "refused", published.error().detail);
    co_return refuse(bad);
  }
  Line line(Level::info, "save");
  call_line(line, environment_.server_name, leaving.route, leaving.key, took)
      .field("file", name)
      .field("tokens", saved->tokens)
      .field("bytes", saved->bytes)
      .field("result", "ok");
  co_return success(saved->tokens);
}

void Keeper::judge_failure(base::Fault const& fault, store::Manifest const& state, Fit const& fit,
                           Vault& vault) {
  // A server that is gone before it was asked is no file's fault.
  if (fault.code == "refused") vault.refused(state.key, fit);
  if (fault.code == "upstream_broken") vault.deadly(state.key);
  if (fault.code == "upstream_timeout") vault.silent(state.key);
}

// A kept connection that ended without a byte: closed before, while nothing was asked, or by the
// death of the server over this file. The same process still being there tells.
net::awaitable<base::Result<llama::Restored>> Keeper::call_restore(std::string file,
                                                                   base::Duration timeout) {
  auto& server = environment_.server;
  auto restored = co_await server.restore(slot_id_, file, timeout);
  auto const ended = restored.has_error() && restored.error().retry == base::Retry::reused_only;
  if (!ended) co_return restored;
  auto const props = co_await server.props();
  auto const same = props.has_value() && props->media_marker == environment_.marker();
  if (!same) co_return restored;
  co_return co_await server.restore(slot_id_, file, timeout, true);
}

net::awaitable<Event> Keeper::restore(Order const& order, Vault& vault) {
  Event event;
  event.kind = Event::Kind::missing;
  // The server may have come back with another model while this request waited.
  if (environment_.tag() != order.key.tag) co_return event;
  auto const fit = environment_.fit(order.settings.fingerprint);
  auto const with_checksum = order.settings.verify == config::Verify::checksum;
  auto const offer = co_await vault.look(order.key, fit, with_checksum);
  if (!offer.state) {
    Line(Level::info, "restore")
        .field("server", environment_.server_name)
        .field("route", order.route)
        .field("session", order.key.id)
        .field("result", "miss")
        .say(offer.reason);
    co_return event;
  }
  Vault::Hold const hold(vault, order.key);
  auto const& state = *offer.state;
  hand_over(vault);
  auto const began = environment_.loop.now();
  auto const restored = co_await call_restore(state.data, order.settings.slot_call_timeout);
  auto const took = environment_.loop.now() - began;
  if (answered(restored)) vault.answered(environment_.folder_user);
  auto const missed = restored.has_error();
  auto const refused = missed && restored.error().code == "refused";
  Line line(refused || !missed ? Level::info : Level::warning, "restore");
  call_line(line, environment_.server_name, order.route, order.key, took).field("file", state.data);
  if (missed) {
    line.field("result", refused ? "miss" : restored.error().code)
        .say("not restored: " + restored.error().detail);
    if (refused) environment_.refused(restored.error().detail);
    judge_failure(restored.error(), state, fit, vault);
    co_return failure(restored.error());
  }
  line.field("tokens", restored->tokens).field("bytes", restored->bytes);
  // Fewer bytes: the file was cut where the server does not mind.
  auto const read = static_cast<std::uint64_t>(restored->bytes);
  if (restored->tokens != state.tokens || read != state.bytes) {
    line.field("result", "wrong").say("restored something else than was saved");
    vault.set_aside(order.key, "the server restored " + std::to_string(restored->tokens) +
                                   " tokens and " + std::to_string(read) + " bytes of it, not " +
                                   std::to_string(state.tokens) + " and " +
                                   std::to_string(state.bytes));
    event.kind = Event::Kind::wrong;
    co_return event;
  }
  line.field("result", "ok");
  vault.used(order.key);
  co_return success(restored->tokens);
}

net::awaitable<Event> Keeper::erase(Order const& order, Vault& vault) {
  hand_over(vault);
  auto const began = environment_.loop.now();
  auto const erased =
      co_await environment_.server.erase(slot_id_, order.settings.slot_call_timeout);
  auto const took = environment_.loop.now() - began;
  if (answered(erased)) vault.answered(environment_.folder_user);
  Line line(erased.has_error() ? Level::warning : Level::info, "erase");
  call_line(line, environment_.server_name, order.route, order.key, took);
  if (erased.has_error()) {
    line.field("result", erased.error().code).say("not erased: " + erased.error().detail);
    environment_.refused(erased.error().detail);
    co_return failure(erased.error());
  }
  line.field("tokens", *erased).field("result", "ok");
  co_return success(*erased);
}

}  // namespace slotswap::swap
