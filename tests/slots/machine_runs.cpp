#include "slots/machine_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace slotswap::slots {

Slot held_by(std::string key, bool dirty, base::Duration ago) {
  Holds holds(std::move(key), true);
  holds.dirty = dirty;
  holds.stamp = stamp(3, 100);
  holds.tokens = 100;
  Slot slot;
  slot.content = holds;
  slot.same_process = true;
  slot.last_answer = start - ago;
  return slot;
}

Goal want(std::string key, bool has_state, bool erase) {
  Goal goal;
  goal.kind = Goal::Kind::session;
  goal.key = std::move(key);
  goal.has_state = has_state;
  goal.erase_on_miss = erase;
  return goal;
}

Goal want_unsaved(std::string key, bool has_state) {
  auto goal = want(std::move(key), has_state);
  goal.savable = false;
  return goal;
}

Goal other(Goal::Kind kind) {
  Goal goal;
  goal.kind = kind;
  return goal;
}

Event ok(std::int64_t tokens) {
  Event event;
  event.kind = Event::Kind::ok;
  event.tokens = tokens;
  return event;
}

Event of(Event::Kind kind) {
  Event event;
  event.kind = kind;
  return event;
}

Slot empty_slot() {
  Slot slot;
  slot.content = Empty{};
  slot.last_task = 3;
  slot.same_process = true;
  slot.last_answer = start - std::chrono::milliseconds(100);
  return slot;
}

Slot unknown_slot() {
  auto slot = empty_slot();
  slot.content = Unknown{};
  return slot;
}

Slot cancelled_slot(std::string resident, std::string guest, bool had_event) {
  auto slot = held_by(std::move(resident), true);
  Cancelled cancelled;
  cancelled.guest = Guest(std::move(guest), true);
  cancelled.at = start;
  cancelled.had_event = had_event;
  cancelled.accepted = true;
  slot.cancelled = cancelled;
  return slot;
}

Event Fine::answer(Action const& action) const {
  Event event;
  switch (action.kind) {
    case Do::wait:
      event.kind = Event::Kind::woke;
      break;
    case Do::ask_props:
      event.kind = Event::Kind::props;
      event.alive = alive;
      break;
    case Do::look:
      event.kind = Event::Kind::looked;
      event.stamp = seen;
      break;
    default:
      event = ok();
      break;
  }
  return event;
}

Ran run(Slot& slot, Goal const& goal, Fine const& server,
        std::function<void(std::size_t, Event&)> const& change, SwapTimes times) {
  SwapMachine machine(slot, goal, times);
  Ran ran;
  Event event;
  TimePoint now = start;
  bool looked_idle = false;
  bool slept = false;  // empty then, and a restore wakes it as a look would: no look is needed
  bool failed = false;
  bool filled = false;
  bool over = false;
  std::optional<Stamp> seen;
  for (std::size_t n = 0; n < 50; ++n) {
    auto const action = machine.step(event, now);
    if (action.kind == Do::done) {
      ran.note = machine.note();
      return ran;
    }
    EXPECT_FALSE(over) << "a new step after the request was given up";
    auto const changes =
        action.kind == Do::save || action.kind == Do::erase || action.kind == Do::restore;
    EXPECT_TRUE(!changes || looked_idle || slept) << "a slot call without a look";
    EXPECT_FALSE(changes && failed) << "a slot call after one that failed";
    if (action.kind == Do::save) {
      EXPECT_TRUE(slot.worth_saving() && looked_idle) << "saved without a look";
      EXPECT_EQ(slot.holds()->stamp, seen) << "saved what was not seen";
      EXPECT_FALSE(filled) << "saved after a restore or an erase";
    }
    filled = filled || action.kind == Do::restore || action.kind == Do::erase;
    ran.actions.push_back(action.kind);
    if (action.kind == Do::wait) now = std::max(now, action.until);
    event = server.answer(action);
    if (change) change(n, event);
    if (action.kind == Do::look) {
      looked_idle = event.kind == Event::Kind::looked && event.stamp.has_value();
      seen = event.stamp;
    } else if (action.kind == Do::ask_props) {
      slept = event.kind == Event::Kind::props && !event.alive;
    }
    failed = failed || (changes && event.kind == Event::Kind::failed);
    over = event.cancelled;
  }
  ADD_FAILURE() << "no end";
  return ran;
}

}  // namespace slotswap::slots
