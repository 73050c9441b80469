// The keeper's calls to the server's slot, one at a time and inside a turn: what each answer means
// for the slot, and its line in the log.
#include <slotswap/swap/keeper.hpp>
#include <slotswap/telemetry/log.hpp>

#include <set>
#include <utility>

namespace slotswap::swap {

using slots::Event;
using telemetry::Level;
using telemetry::Line;

namespace {

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

net::awaitable<Event> Keeper::look(base::Duration timeout) {
  Event event;
  event.kind = Event::Kind::looked;
  auto const slots = co_await environment_.server.slots(timeout);
  if (slots.has_error()) {
    // Silence means busy (older builds block until a batch ends); a server that is not there is not
    // waited for.
    if (slots.error().code != "upstream_timeout") event.kind = Event::Kind::failed;
    if (slots.error().code == "upstream_unreachable" || slots.error().code == "upstream_broken")
      environment_.lost();
    co_return event;
  }
  for (auto const& slot : *slots) {
    if (slot.id != slot_id_ || slot.busy) continue;
    slots::Stamp stamp;
    stamp.task = slot.task;
    stamp.tokens = slot.tokens;
    event.stamp = stamp;
  }
  co_return event;
}

// The session that leaves: it is saved as its own last request asked, not as the one that comes.
net::awaitable<Event> Keeper::save(Order const& order) {
  auto const* who = resident();
  if (who == nullptr) co_return refused();
  auto const leaving = who->order;
  Vault& target = who->vault;
  auto const& settings = leaving.settings;
  auto const name = target.new_name(leaving.key);
  auto const began = environment_.loop.now();
  auto const saved = co_await environment_.server.save(slot_id_, name, settings.slot_call_timeout);
  auto const took = environment_.loop.now() - began;
  auto const refuse = [&](base::Fault const& fault) {
    target.burn(name);
    Line line(Level::warning, "save");
    call_line(line, environment_.server_name, leaving.route, leaving.key, took)
        .field("file", name)
        .field("result", fault.code)
        .say("not saved: " + fault.detail);
    return failure(fault);
  };
  if (saved.has_error()) co_return refuse(saved.error());
  if (saved->tokens <= 0) {
    base::Fault const empty(base::Side::server, "refused", "the slot was empty (n_saved 0)");
    co_return refuse(empty);
  }
  Written written;
  written.key = leaving.key;
  written.file = name;
  written.model = leaving.model;
  written.tokens = saved->tokens;
  written.bytes = static_cast<std::uint64_t>(saved->bytes);
  store::Limits limits;
  limits.max_files = settings.max_files;
  limits.max_bytes = settings.max_bytes;
  limits.max_folder = environment_.max_folder_bytes;
  std::set<store::StateKey> keep;
  if (order.kind == slots::Goal::Kind::session) keep.insert(order.key);
  auto const published = co_await target.publish(written, limits, std::move(keep));
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

net::awaitable<Event> Keeper::restore(Order const& order, Vault& vault) {
  // The server may have come back with another model while this request waited.
  bool fits = environment_.tag() == order.key.tag;
  if (fits) fits = co_await vault.still_there(order.key);
  auto const* state = fits ? vault.find(order.key) : nullptr;
  if (state == nullptr) {
    Event event;
    event.kind = Event::Kind::missing;
    co_return event;
  }
  auto const file = state->data;
  auto const expected = state->tokens;
  auto const began = environment_.loop.now();
  auto const restored =
      co_await environment_.server.restore(slot_id_, file, order.settings.slot_call_timeout);
  auto const took = environment_.loop.now() - began;
  auto const missed = restored.has_error();
  auto const refused = missed && restored.error().code == "refused";
  Line line(refused || !missed ? Level::info : Level::warning, "restore");
  call_line(line, environment_.server_name, order.route, order.key, took).field("file", file);
  if (missed) {
    auto const answered =
        refused || restored.error().code == "refused_key" || restored.error().code == "loading";
    if (!answered) vault.suspect(file);
    line.field("result", refused ? "miss" : restored.error().code)
        .say("not restored: " + restored.error().detail);
    co_return failure(restored.error());
  }
  line.field("tokens", restored->tokens).field("bytes", restored->bytes);
  if (restored->tokens != expected) {
    vault.distrust(file);
    line.field("result", "wrong").say("restored another number of tokens than was saved");
    Event event;
    event.kind = Event::Kind::wrong;
    co_return event;
  }
  line.field("result", "ok");
  vault.used(order.key);
  co_return success(restored->tokens);
}

net::awaitable<Event> Keeper::erase(Order const& order) {
  auto const began = environment_.loop.now();
  auto const erased =
      co_await environment_.server.erase(slot_id_, order.settings.slot_call_timeout);
  auto const took = environment_.loop.now() - began;
  Line line(erased.has_error() ? Level::warning : Level::info, "erase");
  call_line(line, environment_.server_name, order.route, order.key, took);
  if (erased.has_error()) {
    line.field("result", erased.error().code).say("not erased: " + erased.error().detail);
    co_return failure(erased.error());
  }
  line.field("tokens", *erased).field("result", "ok");
  co_return success(*erased);
}

}  // namespace slotswap::swap
