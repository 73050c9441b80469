#include <slotswap/slots/slot.hpp>

#include <utility>

namespace slotswap::slots {

namespace {

Content guest_content(Guest const& guest, std::optional<Stamp> const& stamp) {
  if (!guest.key) return Unknown{};
  // Embeddings and the like leave the slot empty.
  if (stamp && stamp->tokens == 0) return Empty{};
  Holds holds(*guest.key, guest.savable);
  holds.dirty = true;
  // Half a stamp proves nothing; a process that ran nothing yet shows none.
  if (stamp && stamp->task && stamp->tokens) holds.stamp = stamp;
  holds.tokens = stamp ? stamp->tokens.value_or(0) : 0;
  return holds;
}

/// What the slot held before, in tokens; none when that is not known.
std::optional<std::int64_t> tokens_of(Content const& content) {
  if (std::holds_alternative<Empty>(content)) return 0;
  if (auto const* holds = std::get_if<Holds>(&content)) {
    if (holds->stamp) return holds->stamp->tokens;
    if (holds->tokens > 0) return holds->tokens;
  }
  return std::nullopt;
}

void renew_stamp(Content& content, std::optional<Stamp> const& stamp) {
  if (auto* holds = std::get_if<Holds>(&content)) holds->stamp = stamp;
}

/// Whether a task ran in the slot since it was last looked at; where that is not known: yes.
bool ran(Slot const& slot, Stamp const& seen) {
  return seen.task && seen.task != slot.seen_task();
}

// An answer that is not a 2xx one, complete: mostly a refusal that left the slot alone.
void settle_refused(Slot& slot, std::optional<Stamp> const& stamp) {
  auto const before = tokens_of(slot.content);
  if (!stamp || !stamp->tokens) return renew_stamp(slot.content, std::nullopt);
  if (!before) {
    slot.content = Unknown{};
  } else if (*before == *stamp->tokens) {
    // What had no stamp gets none from an equal count: that may be chance.
    if (slot.holds() != nullptr && slot.holds()->stamp) renew_stamp(slot.content, stamp);
  } else {
    slot.content = *stamp->tokens == 0 ? Content(Empty{}) : Content(Unknown{});
  }
}

/// Whether the tokens are those of the request that was accepted, or of its session's cancelled one
/// before: another id_task alone may come of one that was refused unseen.
bool surely_ran(Slot const& slot, bool after_cancel, std::optional<Stamp> const& seen) {
  if (!after_cancel) return slot.task_known();
  auto const before = tokens_of(slot.content);
  return before && seen && before != seen->tokens;
}

void settle_answered(Slot& slot, Guest const& guest, bool accepted,
                     std::optional<Cancelled> const& before, std::optional<Stamp> const& stamp) {
  if (stamp && !ran(slot, *stamp)) {
    if (!shows(slot.content, *stamp)) slot.doubt();
  } else if (!guest.key) {
    slot.content = Unknown{};
  } else if (accepted) {
    auto const proved = slot.holds(*guest.key) || surely_ran(slot, before.has_value(), stamp);
    slot.content = guest_content(guest, proved ? stamp : std::nullopt);
  } else if (before && !(before->guest.key && slot.holds(*before->guest.key))) {
    // The cancelled request before this one was never seen to end: the slot may be its guest's.
    slot.content = Unknown{};
  } else {
    settle_refused(slot, stamp);
  }
}

}  // namespace

std::string to_string(Content const& content) {
  if (std::holds_alternative<Unknown>(content)) return "unknown";
  if (std::holds_alternative<Empty>(content)) return "empty";
  return std::get<Holds>(content).key;
}

bool begun_anew(Slot const& slot, Stamp const& seen) {
  auto const before = slot.seen_task();
  return before && (!seen.task || *seen.task < *before);
}

bool shows(Content const& content, Stamp const& seen) {
  if (std::holds_alternative<Unknown>(content)) return true;
  if (std::holds_alternative<Empty>(content)) return seen.tokens.value_or(0) == 0;
  auto const& holds = std::get<Holds>(content);
  if (holds.stamp) return *holds.stamp == seen;
  return holds.tokens > 0 ? holds.tokens == seen.tokens : seen.task.has_value();
}

void settle(Slot& slot, Guest const& guest, Outcome const& outcome,
            std::optional<Stamp> const& stamp, TimePoint now) {
  using Kind = Outcome::Kind;
  if (outcome.kind == Kind::not_sent) return;
  auto const accepted = outcome.status >= 200 && outcome.status < 300;
  if (outcome.kind == Kind::cancelled) {
    Cancelled cancelled;
    cancelled.guest = guest;
    cancelled.at = now;
    cancelled.had_event = outcome.had_event;
    cancelled.accepted = accepted;
    slot.cancelled = cancelled;
    return;
  }
  auto const before = std::exchange(slot.cancelled, std::nullopt);
  // Before a request without a key nobody asked which process and which model it would meet.
  if (guest.key) slot.last_answer = now;
  if (outcome.kind == Kind::broken || outcome.resent || (stamp && begun_anew(slot, *stamp))) {
    slot.doubt();
  } else {
    settle_answered(slot, guest, accepted, before, stamp);
  }
  slot.last_task = stamp ? stamp->task : std::nullopt;
}

void settle_cancelled(Slot& slot, Stamp const& stamp) {
  if (!slot.cancelled) return;
  auto const cancelled = *std::exchange(slot.cancelled, std::nullopt);
  auto const anew = begun_anew(slot, stamp);
  auto const began = ran(slot, stamp);
  slot.last_task = stamp.task;
  auto const* holds = slot.holds();
  if (anew || !began) {
    if (anew || !shows(slot.content, stamp)) slot.doubt();
    return;
  }
  if (cancelled.accepted) {
    slot.content = guest_content(cancelled.guest, stamp);
    return;
  }
  auto const before = tokens_of(slot.content);
  auto const own = holds != nullptr && cancelled.guest.key == holds->key;
  if (!before || !stamp.tokens || !cancelled.guest.key) {
    slot.content = Unknown{};
  } else if (*before != *stamp.tokens) {
    slot.content = guest_content(cancelled.guest, stamp);
  } else if (own) {
    // As many tokens as before: all that is new is the task. What was only restored stays without a
    // stamp.
    if (holds->stamp) renew_stamp(slot.content, stamp);
  } else if (holds != nullptr) {
    // Another task ran and the count is the same by chance or because it was refused: whose tokens
    // these are is not known.
    slot.content = Unknown{};
  }
}

}  // namespace slotswap::slots
