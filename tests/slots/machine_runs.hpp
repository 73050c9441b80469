// Runs of the swap machine against a server that answers as told, held to what must always hold.
#pragma once

#include "slots/samples.hpp"

#include <slotswap/slots/swap_machine.hpp>

#include <functional>
#include <string>
#include <vector>

namespace slotswap::slots {

using Do = Action::Kind;

inline TimePoint const start = TimePoint() + std::chrono::hours(1);

/// Slots whose last answer ended a moment before `start`.
Slot held_by(std::string key, bool dirty, base::Duration ago = std::chrono::milliseconds(100));
Slot empty_slot();
Slot unknown_slot();
Slot cancelled_slot(std::string resident, std::string guest, bool had_event);

Goal want(std::string key, bool has_state, bool erase = false);
Goal want_unsaved(std::string key, bool has_state);
Goal other(Goal::Kind kind);
Event ok(std::int64_t tokens = 50);
Event of(Event::Kind kind);

/// A server that does as it is told: idle, with the stamp that is expected, every call fine.
struct Fine {
  Stamp seen = stamp(3, 100);
  bool alive = true;
  Event answer(Action const& action) const;
};

struct Ran {
  std::vector<Do> actions;
  Note note = Note::none;
};

/// Runs to the end. `change` may alter the answer to step number n. Holds every run to what must
/// always hold.
Ran run(Slot& slot, Goal const& goal, Fine const& server,
        std::function<void(std::size_t, Event&)> const& change = nullptr,
        SwapTimes times = SwapTimes());

}  // namespace slotswap::slots
