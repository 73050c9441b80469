#include <slotswap/slots/slot.hpp>

namespace slotswap::slots {

namespace {

Content guest_content(Guest const& guest, std::optional<Stamp> const& stamp) {
  if (!guest.key) return Unknown{};
  // Embeddings and the like leave the slot empty.
  if (stamp && stamp->tokens == 0) return Empty{};
  Holds holds(*guest.key, guest.savable);
  holds.dirty = true;
  // A process that ran nothing yet shows neither: it is not the one that answered, and proves
  // nothing.
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

// An answer that is not a 2xx one, complete: mostly a refusal that left the slot alone.
void settle_refused(Slot& slot, std::optional<Stamp> const& stamp) {
  auto const before = tokens_of(slot.content);
  if (!stamp || !stamp->tokens) {
    // A fresh process shows no counts before its first task: nothing ran, nothing changed.
    if (stamp && !stamp->task) return;
    return renew_stamp(slot.content, std::nullopt);
  }
  if (!before) {
    slot.content = Unknown{};
  } else if (*before == *stamp->tokens) {
    renew_stamp(slot.content, stamp);
  } else {
    slot.content = *stamp->tokens == 0 ? Content(Empty{}) : Content(Unknown{});
  }
}

}  // namespace

std::string to_string(Content const& content) {
  if (std::holds_alternative<Unknown>(content)) return "unknown";
  if (std::holds_alternative<Empty>(content)) return "empty";
  return std::get<Holds>(content).key;
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
  slot.cancelled.reset();
  slot.last_answer = now;
  auto const* resident = slot.holds();
  auto const nothing_ran =
      resident != nullptr && resident->stamp && stamp && resident->stamp == stamp;
  if (nothing_ran && outcome.kind == Kind::complete && !outcome.resent) return;
  if (outcome.kind == Kind::broken || outcome.resent || !guest.key) {
    slot.content = Unknown{};
  } else if (accepted) {
    slot.content = guest_content(guest, stamp);
  } else {
    settle_refused(slot, stamp);
  }
}

void settle_cancelled(Slot& slot, Stamp const& stamp) {
  if (!slot.cancelled) return;
  auto const cancelled = *slot.cancelled;
  slot.cancelled.reset();
  if (!stamp.task && !stamp.tokens) {
    slot.content = Empty{};  // a process that ran nothing yet
    return;
  }
  if (cancelled.accepted) {
    slot.content = guest_content(cancelled.guest, stamp);
    return;
  }
  auto const before = tokens_of(slot.content);
  auto const* holds = slot.holds();
  if (holds != nullptr && holds->stamp == stamp) return;  // it never began
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
