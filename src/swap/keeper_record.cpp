// What of the slot outlives this process, and what of a session must not.
#include <slotswap/swap/keeper.hpp>
#include <slotswap/telemetry/log.hpp>

#include <utility>

namespace slotswap::swap {

using telemetry::Level;
using telemetry::Line;

namespace {

bool is_of(std::string const& key, std::string const& id) {
  return key.ends_with("_" + id);
}

}  // namespace

// Only what a restart can prove: a whole stamp, and nobody's cancelled request beside it.
std::optional<store::SlotRecord> Keeper::record() const {
  auto const* holds = slot_.holds();
  auto const* who = resident();
  auto const marker = environment_.marker();
  if (holds == nullptr || who == nullptr || slot_.cancelled || marker.empty()) return std::nullopt;
  if (!holds->stamp || !holds->stamp->task || !holds->stamp->tokens) return std::nullopt;
  store::SlotRecord record;
  record.marker = marker;
  record.fingerprint = environment_.fit(who->order.settings.fingerprint).fingerprint;
  record.key = holds->key;
  record.task = *holds->stamp->task;
  record.tokens = *holds->stamp->tokens;
  record.dirty = holds->dirty;
  record.savable = holds->savable;
  record.route = who->order.route;
  record.model = who->order.model;
  record.prompt_digest = who->order.prompt_digest;
  return record;
}

void Keeper::note_slot(Vault& vault) {
  vault.book().note(environment_.server_name, slot_id_, record());
}

// From here on the slot may hold another session's tokens: a restart must not take them for those
// of the one that left.
void Keeper::hand_over(Vault& vault) {
  vault.book().note(environment_.server_name, slot_id_, std::nullopt);
}

void Keeper::resume(Order order, Vault& vault, store::SlotRecord const& record) {
  slots::Stamp stamp;
  stamp.task = record.task;
  stamp.tokens = record.tokens;
  slots::Holds holds(record.key, record.savable);
  holds.dirty = record.dirty;
  holds.stamp = stamp;
  holds.tokens = record.tokens;
  slot_.content = holds;
  slot_.last_task = record.task;
  slot_.same_process = true;
  residents_.insert_or_assign(record.key, Resident(order, vault));
  Line(Level::info, "slot")
      .field("server", environment_.server_name)
      .field("route", order.route)
      .field("session", order.key.id)
      .field("state", "held")
      .field("tokens", record.tokens)
      .say("the server still shows what it held before slotswap was started again");
  pool_.changed(seat_);
  arm_idle_save();
}

// The session whose answer is under way stays the owner: how that ends is for settle() to tell.
void Keeper::emptied(Vault& vault) {
  auto const* lost = slot_.holds();
  if (lost != nullptr && lost->dirty && lost->savable) {
    Line line(Level::warning, "slot");
    line.field("server", environment_.server_name).field("state", "lost");
    if (auto const* who = resident()) line.field("session", who->order.key.id);
    line.field("tokens", lost->tokens)
        .say("the model was unloaded, slept or died beside slotswap before this was saved");
  }
  environment_.restarted();  // whatever process that was: it is known to be empty
  slot_.forget();
  slot_.content = slots::Empty{};
  residents_.clear();
  disarm_idle_save();
  pool_.changed(seat_);
  note_slot(vault);
}

// Nothing of it is believed or saved any more. Whether there was any.
bool Keeper::give_up(std::string const& id) {
  auto const* holds = slot_.holds();
  auto const held = holds != nullptr && is_of(holds->key, id);
  auto const cancelled =
      slot_.cancelled && slot_.cancelled->guest.key && is_of(*slot_.cancelled->guest.key, id);
  if (held || cancelled) slot_.content = slots::Unknown{};
  if (cancelled) slot_.cancelled->guest.key.reset();
  std::erase_if(residents_, [&](auto const& entry) { return is_of(entry.first, id); });
  return held || cancelled;
}

bool Keeper::forget(std::string const& id, Vault& vault) {
  auto any = false;
  if (is_of(owner_, id)) {
    any = owner_gone_.empty();
    owner_gone_ = "its session was deleted";
  }
  auto const held = give_up(id);
  if (held) {
    any = forgotten_ = true;
    say_unknown(false, "its session was deleted");
  }
  pool_.changed(seat_);
  if (any) note_slot(vault);
  return any;
}

void Keeper::moved_away(std::string const& id) {
  auto const* why = "its session runs in another slot";
  if (is_of(owner_, id)) owner_gone_ = why;
  if (residents_.empty()) return;
  Vault& vault = residents_.begin()->second.vault;
  auto const was_unknown = slot_.unknown();
  if (!give_up(id)) return;
  say_unknown(was_unknown, why);
  note_slot(vault);
}

// Whoever waits for it looks again before anything is saved.
void Keeper::seen_idle(std::vector<llama::SlotLook> const& slots, base::TimePoint began) {
  auto const settled = pool_.free(seat_) && !slot_.cancelled && slot_.last_answer < began;
  if (!settled || residents_.empty()) return;
  Vault& vault = residents_.begin()->second.vault;
  for (auto const& slot : slots) {
    slots::Stamp const stamp{slot.task, slot.tokens};
    if (slot.id != slot_id_ || slots::shows(slot_.content, stamp)) continue;
    slot_.doubt();
    residents_.clear();
    disarm_idle_save();
    say_unknown(false, slots::to_string(slots::Note::changed_behind_us));
    pool_.changed(seat_);
    note_slot(vault);
  }
}

// Also what the last run noted, should it not have been believed yet.
void Keeper::set_aside(bool aside, Vault& vault) {
  aside_ = aside;
  if (!aside) return;
  touched_ = true;
  vault.book().take(environment_.server_name, slot_id_);
  auto const was_unknown = slot_.unknown();
  slot_.doubt();
  if (slot_.cancelled) slot_.cancelled->guest.key.reset();
  residents_.clear();
  disarm_idle_save();
  say_unknown(was_unknown, "its server is set aside");
  pool_.changed(seat_);
  note_slot(vault);
}

void Keeper::say_unknown(bool before, std::string const& why) const {
  if (before || !slot_.unknown()) return;
  Line(Level::info, "slot")
      .field("server", environment_.server_name)
      .field("state", "unknown")
      .say("not saved, and erased before the next session: " + why);
}

}  // namespace slotswap::swap
