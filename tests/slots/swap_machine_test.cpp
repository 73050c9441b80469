// What is done to a slot, step by step: every way through, with an error and a cancellation at each
// step.
#include "slots/machine_runs.hpp"

#include <gtest/gtest.h>

namespace slotswap::slots {
namespace {

struct Row {
  char const* name;
  Slot slot;
  Goal goal;
  Fine server;
  std::vector<Do> actions;
  std::string holds;  // at the end
};

std::vector<Row> rows() {
  auto const long_ago = std::chrono::seconds(60);
  Fine asleep;
  asleep.alive = false;
  Fine nothing;
  nothing.seen = stamp(3, 0);
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
       {Do::ask_props, Do::erase},
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
      {"another process, perhaps with a request already",
       Slot(),
       want("a", false),
       asleep,
       {Do::ask_props, Do::erase},
       "empty"},
      {"empty, no state", empty_slot(), want("a", false, true), {}, {}, "empty"},
      {"empty, with a state", empty_slot(), want("a", true), nothing, {Do::look, Do::restore}, "a"},
      {"its own, dirty, before what is not to be saved: saved, and it stays",
       held_by("a", true),
       want_unsaved("a", true),
       {},
       {Do::look, Do::save},
       "a"},
      {"the same, long ago",
       held_by("a", true, long_ago),
       want_unsaved("a", false),
       {},
       {Do::ask_props, Do::look, Do::save},
       "a"},
      {"its own, on disk already, before what is not to be saved",
       held_by("a", false),
       want_unsaved("a", true),
       {},
       {},
       "a"},
      {"its own, used by another, before what is not to be saved: only restored",
       held_by("a", true, long_ago),
       want_unsaved("a", true),
       changed,
       {Do::ask_props, Do::look, Do::restore},
       "a"},
      {"another's, dirty, for what is not to be saved",
       held_by("b", true),
       want_unsaved("a", true),
       {},
       {Do::look, Do::save, Do::restore},
       "a"},
      {"pass saves what leaves",
       held_by("b", true),
       other(Goal::Kind::pass),
       {},
       {Do::look, Do::save},
       "b"},
      {"pass with nothing to save", held_by("b", false), other(Goal::Kind::pass), {}, {}, "b"},
      {"pass, long ago: the next one relies on the process being known",
       held_by("b", false, long_ago),
       other(Goal::Kind::pass),
       asleep,
       {Do::ask_props},
       "unknown"},
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
       "unknown"},
      {"after its own cancelled request",
       cancelled_slot("b", "a", true),
       want("a", true),
       {},
       {},
       "b"},
      {"after its own cancelled request, before what is not to be saved",
       cancelled_slot("a", "a", true),
       want_unsaved("a", true),
       {},
       {Do::wait, Do::look, Do::save},
       "a"},
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

TEST(SwapMachine, props_that_do_not_come_end_the_slot_work) {
  for (auto const& row : rows()) {
    if (row.actions.empty() || row.actions[0] != Do::ask_props) continue;
    auto slot = row.slot;
    auto const ran = run(slot, row.goal, row.server, [](std::size_t n, Event& event) {
      if (n == 0) event = of(Event::Kind::failed);
    });
    EXPECT_EQ(ran.actions.size(), 1U) << row.name;
    EXPECT_EQ(ran.note, Note::server_silent) << row.name;
    EXPECT_TRUE(slot.unknown()) << row.name;
  }
}

TEST(SwapMachine, a_refusal_at_any_step_comes_to_an_end_too) {
  for (auto const& row : rows()) {
    for (std::size_t at = 0; at < row.actions.size(); ++at) {
      auto const what = row.actions[at];
      if (what != Do::save && what != Do::restore && what != Do::erase) continue;
      auto slot = row.slot;
      auto const ran = run(slot, row.goal, row.server, [at](std::size_t n, Event& event) {
        if (n == at) event = of(Event::Kind::refused);
      });
      EXPECT_EQ(ran.actions, row.actions) << row.name << " at " << at;
      EXPECT_NE(ran.note, Note::none) << row.name;
    }
  }
}

// Nothing of it would be saved: it goes on at once.
TEST(SwapMachine, after_its_own_cancelled_unsaved_request_the_next_one_waits_for_nothing) {
  auto slot = cancelled_slot("a", "a", true);
  std::get<Holds>(slot.content).dirty = false;
  slot.cancelled->guest.savable = false;
  EXPECT_TRUE(run(slot, want_unsaved("a", true), Fine()).actions.empty());
  slot = cancelled_slot("b", "a", true);
  slot.cancelled->guest.savable = false;
  EXPECT_TRUE(run(slot, want_unsaved("a", true), Fine()).actions.empty());
}

// A key that the server does not take: what it holds is what it held.
TEST(SwapMachine, a_call_that_nobody_may_make_ends_the_slot_work_and_changes_nothing) {
  for (auto const& row : rows()) {
    for (std::size_t at = 0; at < row.actions.size(); ++at) {
      auto const what = row.actions[at];
      if (what != Do::save && what != Do::restore) continue;
      auto slot = row.slot;
      Content before;
      auto const ran = run(slot, row.goal, row.server, [&](std::size_t n, Event& event) {
        if (n != at) return;
        event = of(Event::Kind::denied);
        before = slot.content;
      });
      EXPECT_EQ(ran.actions.size(), at + 1) << row.name;
      EXPECT_EQ(slot.content, before) << row.name;
      EXPECT_NE(ran.note, Note::none) << row.name;
    }
  }
}

// As long as it lasts: once, then for longer than the slot is waited for.
TEST(SwapMachine, a_busy_slot_is_waited_for_and_then_the_request_goes_on_without_a_call) {
  SwapTimes times;
  times.busy_wait = std::chrono::seconds(7);
  for (auto const& row : rows()) {
    for (std::size_t at = 0; at < row.actions.size(); ++at) {
      if (row.actions[at] != Do::look) continue;
      auto slot = row.slot;
      auto ran = run(slot, row.goal, row.server, [at](std::size_t n, Event& event) {
        if (n == at) event.stamp.reset();
      });
      EXPECT_EQ(to_string(slot.content), row.holds) << row.name;
      slot = row.slot;
      auto const never_idle = [](std::size_t, Event& event) { event.stamp.reset(); };
      ran = run(slot, row.goal, row.server, never_idle, times);
      EXPECT_EQ(ran.note, Note::busy_too_long) << row.name;
      EXPECT_EQ(ran.actions.back(), Do::look) << row.name;
      EXPECT_EQ(slot.unknown(), row.goal.kind != Goal::Kind::save_only) << row.name;
    }
  }
}

// The server was started anew while a cancelled request was still to be seen idle, or in the long
// wait for a busy slot.
TEST(SwapMachine, after_a_long_pause_props_come_before_a_restore) {
  Fine gone;
  gone.alive = false;
  gone.seen = Stamp();
  auto slot = cancelled_slot("b", "c", true);
  slot.cancelled->at = start - std::chrono::seconds(600);
  auto ran = run(slot, want("a", true), gone);
  EXPECT_EQ(ran.actions, (std::vector<Do>{Do::ask_props, Do::restore}));
  slot = cancelled_slot("b", "a", true);
  slot.cancelled->at = start - std::chrono::seconds(600);
  ran = run(slot, want("a", true), gone);
  EXPECT_EQ(ran.actions, (std::vector<Do>{Do::ask_props, Do::restore})) << "its own";
  EXPECT_TRUE(slot.holds("a"));
  slot = unknown_slot();
  ran = run(slot, want("a", true), Fine(), [](std::size_t n, Event& event) {
    if (n == 0) event.stamp.reset();
    if (event.kind == Event::Kind::props) event.alive = false, event.has_state = false;
  });
  EXPECT_EQ(ran.actions, (std::vector<Do>{Do::look, Do::wait, Do::look, Do::ask_props, Do::erase}));
}

TEST(SwapMachine, what_was_only_restored_is_compared_by_its_count) {
  for (auto const tokens : {100, 99}) {
    auto slot = held_by("a", false, std::chrono::seconds(60));
    std::get<Holds>(slot.content).stamp.reset();
    Fine server;
    server.seen = stamp(9, tokens);
    auto const ran = run(slot, want("a", true), server);
    EXPECT_EQ(ran.actions.back(), tokens == 100 ? Do::look : Do::restore);
    EXPECT_EQ(ran.note, tokens == 100 ? Note::none : Note::changed_behind_us);
  }
}

TEST(SwapMachine, its_own_without_a_stamp_has_nothing_to_compare_and_goes_on) {
  auto slot = held_by("a", true, std::chrono::seconds(60));
  std::get<Holds>(slot.content).stamp.reset();
  std::get<Holds>(slot.content).tokens = 0;
  auto const ran = run(slot, want("a", true), Fine());
  EXPECT_EQ(ran.actions, (std::vector<Do>{Do::ask_props, Do::look}));
  EXPECT_EQ(ran.note, Note::none);
  EXPECT_TRUE(slot.holds("a"));
  EXPECT_FALSE(slot.worth_saving());
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
  auto const ran = run(slot, want("a", true), Fine(), [](std::size_t, Event& event) {
    event.alive = false, event.has_state = false;
  });
  EXPECT_EQ(ran.actions, (std::vector<Do>{Do::ask_props, Do::erase}));
  EXPECT_EQ(to_string(slot.content), "empty");
}

TEST(SwapMachine, a_server_that_takes_the_state_again_is_offered_it) {
  for (auto const alive : {true, false}) {
    auto slot = held_by("b", false, std::chrono::seconds(60));
    auto const ran = run(slot, want("a", false), Fine(), [&](std::size_t, Event& event) {
      if (event.kind == Event::Kind::props) event.alive = alive, event.has_state = true;
    });
    EXPECT_EQ(ran.actions.back(), Do::restore);
    EXPECT_TRUE(slot.holds("a"));
  }
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

TEST(SwapMachine, an_idle_save_does_not_wait_for_the_time_of_the_next_look) {
  SwapTimes times;
  times.busy_wait = Duration::zero();
  auto slot = held_by("b", true);
  slot.last_busy_look = start - std::chrono::milliseconds(500);
  auto const ran = run(slot, other(Goal::Kind::save_only), Fine(), nullptr, times);
  EXPECT_TRUE(ran.actions.empty());
  EXPECT_EQ(ran.note, Note::busy_too_long);
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
