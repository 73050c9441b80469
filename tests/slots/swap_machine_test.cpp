// What is done to a slot, step by step: every way through, with an error and a cancellation at each
// step.
#include "slots/samples.hpp"

#include <slotswap/slots/swap_machine.hpp>

#include <gtest/gtest.h>

#include <functional>

namespace slotswap::slots {
namespace {

using Do = Action::Kind;

TimePoint const start = TimePoint() + std::chrono::hours(1);

Slot held_by(std::string key, bool dirty, base::Duration ago = std::chrono::milliseconds(100)) {
  Holds holds(std::move(key), true);
  holds.dirty = dirty;
  holds.stamp = stamp(3, 100);
  holds.tokens = 100;
  Slot slot;
  slot.content = holds;
  slot.last_answer = start - ago;
  return slot;
}

Goal want(std::string key, bool has_state, bool erase = false) {
  Goal goal;
  goal.kind = Goal::Kind::session;
  goal.key = std::move(key);
  goal.has_state = has_state;
  goal.erase_on_miss = erase;
  return goal;
}

Goal other(Goal::Kind kind) {
  Goal goal;
  goal.kind = kind;
  return goal;
}

Event ok(std::int64_t tokens = 50) {
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

/// A server that does as it is told: idle, with the stamp that is expected, every call fine.
struct Fine {
  Stamp seen = stamp(3, 100);
  bool alive = true;
  Event answer(Action const& action) const {
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
};

struct Ran {
  std::vector<Do> actions;
  Note note = Note::none;
};

/// Runs to the end. `change` may alter the answer to step number n. Holds every run to what must
/// always hold.
Ran run(Slot& slot, Goal const& goal, Fine const& server,
        std::function<void(std::size_t, Event&)> change = nullptr, SwapTimes times = SwapTimes()) {
  SwapMachine machine(slot, goal, times);
  Ran ran;
  Event event;
  TimePoint now = start;
  bool looked_idle = false;
  bool over = false;
  for (std::size_t n = 0; n < 50; ++n) {
    auto const action = machine.step(event, now);
    if (action.kind == Do::done) {
      ran.note = machine.note();
      return ran;
    }
    EXPECT_FALSE(over) << "a new step after the request was given up";
    auto const changes =
        action.kind == Do::save || action.kind == Do::erase || action.kind == Do::restore;
    if (action.kind == Do::save) {
      EXPECT_TRUE(slot.worth_saving());
      EXPECT_TRUE(looked_idle) << "saved without a look";
    }
    ran.actions.push_back(action.kind);
    if (action.kind == Do::wait) now = std::max(now, action.until);
    event = server.answer(action);
    if (change) change(n, event);
    if (action.kind == Do::look) {
      looked_idle = event.kind == Event::Kind::looked && event.stamp.has_value();
    } else if (changes && event.kind == Event::Kind::failed) {
      looked_idle = false;
    }
    over = event.cancelled;
  }
  ADD_FAILURE() << "no end";
  return ran;
}

struct Row {
  char const* name;
  Slot slot;
  Goal goal;
  Fine server;
  std::vector<Do> actions;
  std::string holds;  // at the end
};

Slot empty_slot() {
  Slot slot;
  slot.content = Empty{};
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

std::vector<Row> rows() {
  auto const long_ago = std::chrono::seconds(60);
  Fine asleep;
  asleep.alive = false;
  Fine changed;
  changed.seen = stamp(9, 7);
  return {
      {"its own slot, a moment ago", held_by("a", true), want("a", true), {}, {}, "a"},
      {"its own slot, long ago",
       held_by("a", true, long_ago),
       want("a", true),
       {},
       {Do::ask_props, Do::look},
       "a"},
      {"its own, but the server slept",
       held_by("a", true, long_ago),
       want("a", true),
       asleep,
       {Do::ask_props, Do::restore},
       "a"},
      {"its own, slept, nothing saved",
       held_by("a", true, long_ago),
       want("a", false),
       asleep,
       {Do::ask_props},
       "empty"},
      {"its own, but used by another",
       held_by("a", true, long_ago),
       want("a", true),
       changed,
       {Do::ask_props, Do::look, Do::restore},
       "a"},
      {"its own, used by another, nothing saved",
       held_by("a", true, long_ago),
       want("a", false),
       changed,
       {Do::ask_props, Do::look, Do::erase},
       "empty"},
      {"another's, dirty, with a state",
       held_by("b", true),
       want("a", true),
       {},
       {Do::look, Do::save, Do::restore},
       "a"},
      {"another's, clean, with a state",
       held_by("b", false),
       want("a", true),
       {},
       {Do::look, Do::restore},
       "a"},
      {"another's, dirty, no state: kept",
       held_by("b", true),
       want("a", false),
       {},
       {Do::look, Do::save},
       "b"},
      {"another's, clean, no state: nothing", held_by("b", false), want("a", false), {}, {}, "b"},
      {"another's, dirty, no state, erased",
       held_by("b", true),
       want("a", false, true),
       {},
       {Do::look, Do::save, Do::erase},
       "empty"},
      {"another's, changed behind us: not saved",
       held_by("b", true),
       want("a", true),
       changed,
       {Do::look, Do::ask_props, Do::restore},
       "a"},
      {"unknown, with a state", unknown_slot(), want("a", true), {}, {Do::look, Do::restore}, "a"},
      {"unknown, no state: erased whatever on_miss says",
       unknown_slot(),
       want("a", false),
       {},
       {Do::look, Do::erase},
       "empty"},
      {"after the start", Slot(), want("a", true), {}, {Do::ask_props, Do::look, Do::restore}, "a"},
      {"after the start, nothing saved",
       Slot(),
       want("a", false),
       {},
       {Do::ask_props, Do::look, Do::erase},
       "empty"},
      {"empty, no state", empty_slot(), want("a", false, true), {}, {}, "empty"},
      {"empty, with a state", empty_slot(), want("a", true), {}, {Do::look, Do::restore}, "a"},
      {"pass saves what leaves",
       held_by("b", true),
       other(Goal::Kind::pass),
       {},
       {Do::look, Do::save},
       "b"},
      {"pass with nothing to save", held_by("b", false), other(Goal::Kind::pass), {}, {}, "b"},
      {"hands off", held_by("b", true), other(Goal::Kind::hands_off), {}, {}, "b"},
      {"idle save",
       held_by("b", true, long_ago),
       other(Goal::Kind::save_only),
       {},
       {Do::ask_props, Do::look, Do::save},
       "b"},
      {"idle save of a slept server",
       held_by("b", true, long_ago),
       other(Goal::Kind::save_only),
       asleep,
       {Do::ask_props},
       "empty"},
      {"after its own cancelled request",
       cancelled_slot("b", "a", true),
       want("a", true),
       {},
       {},
       "b"},
      {"after another's cancelled request",
       cancelled_slot("b", "c", true),
       want("a", true),
       {},
       {Do::wait, Do::look, Do::save, Do::restore},
       "a"},
  };
}

TEST(SwapMachine, table) {
  for (auto const& row : rows()) {
    auto slot = row.slot;
    auto const ran = run(slot, row.goal, row.server);
    EXPECT_EQ(ran.actions, row.actions) << row.name;
    EXPECT_EQ(to_string(slot.content), row.holds) << row.name;
  }
}

TEST(SwapMachine, given_up_at_any_step_begins_nothing_more) {
  for (auto const& row : rows()) {
    for (std::size_t at = 0; at < row.actions.size(); ++at) {
      auto slot = row.slot;
      auto const ran = run(slot, row.goal, row.server,
                           [at](std::size_t n, Event& event) { event.cancelled = n == at; });
      EXPECT_EQ(ran.actions.size(), at + 1) << row.name;
    }
  }
}

TEST(SwapMachine, a_call_that_fails_ends_the_slot_work_with_an_unknown_slot) {
  for (auto const& row : rows()) {
    for (std::size_t at = 0; at < row.actions.size(); ++at) {
      if (row.actions[at] == Do::wait || row.actions[at] == Do::ask_props) continue;
      auto slot = row.slot;
      auto const ran = run(slot, row.goal, row.server, [at](std::size_t n, Event& event) {
        if (n == at) event = of(Event::Kind::failed);
      });
      EXPECT_EQ(ran.actions.size(), at + 1) << row.name;
      EXPECT_TRUE(slot.unknown()) << row.name << " at " << at;
      EXPECT_NE(ran.note, Note::none) << row.name;
    }
  }
}

TEST(SwapMachine, a_refused_save_goes_on_and_a_refused_restore_leaves_the_slot_empty) {
  auto slot = held_by("b", true);
  auto ran = run(slot, want("a", true), Fine(), [](std::size_t n, Event& event) {
    if (n == 1) event = of(Event::Kind::refused);
  });
  EXPECT_EQ(ran.actions, (std::vector<Do>{Do::look, Do::save, Do::restore}));
  EXPECT_TRUE(slot.holds("a"));
  slot = held_by("b", false);
  ran = run(slot, want("a", true), Fine(), [](std::size_t n, Event& event) {
    if (n == 1) event = of(Event::Kind::refused);
  });
  EXPECT_EQ(to_string(slot.content), "empty");
  EXPECT_EQ(ran.note, Note::restore_refused);
}

TEST(SwapMachine, a_state_that_is_gone_after_all_is_a_miss) {
  auto slot = unknown_slot();
  auto const ran = run(slot, want("a", true), Fine(), [](std::size_t n, Event& event) {
    if (n == 1) event = of(Event::Kind::missing);
  });
  EXPECT_EQ(ran.actions, (std::vector<Do>{Do::look, Do::restore, Do::erase}));
}

TEST(SwapMachine, a_server_with_another_model_is_offered_no_state_of_the_old_one) {
  auto slot = held_by("a", true, std::chrono::seconds(60));
  auto const ran = run(slot, want("a", true), Fine(),
                       [](std::size_t, Event& event) { event.alive = event.fits = false; });
  EXPECT_EQ(ran.actions, (std::vector<Do>{Do::ask_props}));
  EXPECT_EQ(to_string(slot.content), "empty");
}

TEST(SwapMachine, what_was_restored_wrongly_is_erased) {
  auto slot = unknown_slot();
  auto const ran = run(slot, want("a", true), Fine(), [](std::size_t n, Event& event) {
    if (n == 1) event = of(Event::Kind::wrong);
  });
  EXPECT_EQ(ran.actions, (std::vector<Do>{Do::look, Do::restore, Do::erase}));
  EXPECT_EQ(to_string(slot.content), "empty");
}

TEST(SwapMachine, two_impatient_requests_do_not_look_faster_than_every_two_seconds) {
  auto slot = held_by("b", true);
  slot.last_busy_look = start - std::chrono::milliseconds(500);
  SwapMachine machine(slot, want("a", true), SwapTimes());
  auto const action = machine.step(Event(), start);
  EXPECT_EQ(action.kind, Do::wait);
  EXPECT_EQ(action.until - start, std::chrono::milliseconds(1500));
}

TEST(SwapMachine, a_busy_slot_is_looked_at_again_every_two_seconds_for_as_long_as_allowed) {
  SwapTimes times;
  times.busy_wait = std::chrono::seconds(7);
  auto slot = held_by("b", true);
  auto const busy = [](std::size_t, Event& event) { event.stamp.reset(); };
  auto const ran = run(slot, want("a", true), Fine(), busy, times);
  auto const looks = std::count(ran.actions.begin(), ran.actions.end(), Do::look);
  EXPECT_EQ(looks, 5);  // at 0, 2, 4, 6 and 8 s
  EXPECT_EQ(ran.note, Note::busy_too_long);
  EXPECT_TRUE(slot.unknown());
}

TEST(SwapMachine, an_idle_save_of_a_busy_slot_gives_up_and_forgets_nothing) {
  SwapTimes times;
  times.busy_wait = Duration::zero();
  auto slot = held_by("b", true);
  run(
      slot, other(Goal::Kind::save_only), Fine(),
      [](std::size_t, Event& event) { event.stamp.reset(); }, times);
  EXPECT_TRUE(slot.worth_saving());
}

TEST(SwapMachine, the_first_look_after_a_cancel_waits_longer_when_no_event_had_come) {
  for (auto const had_event : {true, false}) {
    auto slot = cancelled_slot("b", "c", had_event);
    SwapMachine machine(slot, want("a", true), SwapTimes());
    auto const action = machine.step(Event(), start);
    EXPECT_EQ(action.kind, Do::wait);
    EXPECT_EQ(action.until - start, std::chrono::milliseconds(had_event ? 300 : 1200));
  }
}

}  // namespace
}  // namespace slotswap::slots
