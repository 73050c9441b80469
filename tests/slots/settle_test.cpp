// What a slot holds after a request, by how it ended and by what GET /slots shows.
#include "slots/samples.hpp"

#include <slotswap/slots/slot.hpp>

#include <gtest/gtest.h>

namespace slotswap::slots {
namespace {

using Kind = Outcome::Kind;

TimePoint const now = TimePoint() + std::chrono::hours(1);

Holds holds(std::string key, std::optional<Stamp> of, bool dirty = true) {
  Holds result(std::move(key), true);
  result.stamp = of;
  result.dirty = dirty;
  result.tokens = of ? of->tokens.value_or(0) : 0;
  return result;
}

Content restored_only() {
  auto result = holds("anna", std::nullopt, false);
  result.tokens = 100;
  return result;
}

Outcome outcome(Kind kind, int status, bool had_event = false) {
  Outcome result;
  result.kind = kind;
  result.status = status;
  result.had_event = had_event;
  return result;
}

struct Row {
  char const* name;
  Content before;
  std::optional<std::string> guest;
  Outcome end;
  std::optional<Stamp> seen;
  Content after;
};

TEST(Settle, table) {
  Stamp const fresh;
  Content const anna = holds("anna", stamp(3, 100));
  Content const clean = holds("anna", stamp(3, 100), false);
  Stamp half;
  half.task = 5;
  auto resent = outcome(Kind::complete, 200);
  resent.resent = true;
  std::vector<Row> const rows = {
      {"a 2xx answer makes it the guest's", anna, "ben", outcome(Kind::complete, 200), stamp(5, 40),
       holds("ben", stamp(5, 40))},
      {"from unknown as well", Unknown{}, "ben", outcome(Kind::complete, 200), stamp(5, 40),
       holds("ben", stamp(5, 40))},
      {"without a stamp it is the guest's, never to be saved", anna, "ben",
       outcome(Kind::complete, 200), std::nullopt, holds("ben", std::nullopt)},
      {"seen in a process that ran nothing: not the one that answered", anna, "ben",
       outcome(Kind::complete, 200), fresh, Unknown{}},
      {"a 2xx that leaves nothing", anna, "ben", outcome(Kind::complete, 200), stamp(5, 0),
       Empty{}},
      {"a refusal leaves the owner, with the new stamp", anna, "ben", outcome(Kind::complete, 400),
       stamp(5, 100), holds("anna", stamp(5, 100))},
      {"and what is on disk stays clean", clean, "ben", outcome(Kind::complete, 400), stamp(5, 100),
       holds("anna", stamp(5, 100), false)},
      {"a refusal with another count: whose tokens is not known", anna, "ben",
       outcome(Kind::complete, 500), stamp(5, 60), Unknown{}},
      {"a refusal in an empty slot", Empty{}, "ben", outcome(Kind::complete, 400), stamp(5, 0),
       Empty{}},
      {"a failed answer that left something in an empty slot", Empty{}, "ben",
       outcome(Kind::complete, 500), stamp(5, 9), Unknown{}},
      {"a refusal in an unknown slot", Unknown{}, "ben", outcome(Kind::complete, 400),
       stamp(5, 100), Unknown{}},
      {"a refusal, seen in another process", Empty{}, "ben", outcome(Kind::complete, 400), fresh,
       Unknown{}},
      {"another process with a task", anna, "anna", outcome(Kind::complete, 200), stamp(1, 40),
       Unknown{}},
      {"a refusal without a stamp: the owner's can no longer be proved", anna, "ben",
       outcome(Kind::complete, 400), std::nullopt,
       [] {
         auto result = holds("anna", std::nullopt);
         result.tokens = 100;
         return Content(result);
       }()},
      {"a 2xx that ran in no slot: the stamp is the same", anna, "ben",
       outcome(Kind::complete, 200), stamp(3, 100), anna},
      {"a 2xx that ran in no slot does not make an unknown one the guest's", Unknown{}, "ben",
       outcome(Kind::complete, 200), stamp(3, 100), Unknown{}},
      {"nor one that was only restored", restored_only(), "ben", outcome(Kind::complete, 200),
       stamp(3, 100), restored_only()},
      {"an equal count alone earns no stamp", restored_only(), "ben", outcome(Kind::complete, 400),
       stamp(5, 100), restored_only()},
      {"a 2xx that ran in no slot, which somebody emptied", anna, "ben",
       outcome(Kind::complete, 200), stamp(3, 0), Unknown{}},
      {"half a stamp is none", anna, "ben", outcome(Kind::complete, 200), half,
       holds("ben", std::nullopt)},
      {"perhaps another process answered", anna, "ben", resent, stamp(5, 40), Unknown{}},
      {"even with the stamp that was expected", anna, "anna", resent, stamp(3, 100), Unknown{}},
      {"a broken answer", anna, "ben", outcome(Kind::broken, 200), std::nullopt, Unknown{}},
      {"never sent", anna, "ben", outcome(Kind::not_sent, 0), std::nullopt, anna},
      {"a guest without a key", anna, std::nullopt, outcome(Kind::complete, 200), stamp(5, 40),
       Unknown{}},
  };
  for (auto const& row : rows) {
    Slot slot;
    slot.content = row.before;
    slot.last_task = 3;
    Guest guest;
    if (row.guest) guest = Guest(*row.guest, true);
    settle(slot, guest, row.end, row.seen, now);
    EXPECT_EQ(slot.content, row.after) << row.name << ": " << to_string(slot.content);
    EXPECT_FALSE(slot.cancelled.has_value()) << row.name;
  }
}

// It is saved again with all that it holds once a request of its session that may be ran.
TEST(Settle, what_is_not_to_be_saved_makes_its_sessions_slot_so) {
  Slot slot;
  slot.content = holds("anna", stamp(3, 100), false);
  slot.last_task = 3;
  settle(slot, Guest("anna", false), outcome(Kind::complete, 400), stamp(5, 100), now);
  EXPECT_TRUE(slot.holds()->savable) << "refused";
  settle(slot, Guest("anna", false), outcome(Kind::complete, 200), stamp(7, 120), now);
  EXPECT_TRUE(slot.holds("anna"));
  EXPECT_FALSE(slot.worth_saving());
  settle(slot, Guest("anna", true), outcome(Kind::complete, 200), stamp(9, 140), now);
  EXPECT_TRUE(slot.worth_saving());
}

struct CancelRow {
  char const* name;
  Content before;
  int status;  // of the head that had come, 0: none
  std::optional<std::string> guest;
  Stamp seen;
  Content after;
};

TEST(Settle, a_cancelled_request_is_settled_by_the_look_that_finds_it_idle) {
  std::vector<CancelRow> const rows = {
      {"accepted: the guest's", holds("anna", stamp(3, 100)), 200, "ben", stamp(5, 40),
       holds("ben", stamp(5, 40))},
      {"never began", holds("anna", stamp(3, 100)), 0, "ben", stamp(3, 100),
       holds("anna", stamp(3, 100))},
      {"its prompt was being read", holds("anna", stamp(3, 100)), 0, "ben", stamp(5, 260),
       holds("ben", stamp(5, 260))},
      {"another task with the same count: whose is not known", holds("anna", stamp(3, 100)), 0,
       "ben", stamp(5, 100), Unknown{}},
      {"its own session's", holds("anna", stamp(3, 100)), 0, "anna", stamp(5, 100),
       holds("anna", stamp(5, 100))},
      {"into an empty slot", Empty{}, 0, "ben", stamp(5, 12), holds("ben", stamp(5, 12))},
      {"accepted, but it ran in no slot", holds("anna", stamp(3, 100)), 200, "ben", stamp(3, 100),
       holds("anna", stamp(3, 100))},
      {"without a key", holds("anna", stamp(3, 100)), 0, std::nullopt, stamp(5, 40), Unknown{}},
      {"accepted without a key", holds("anna", stamp(3, 100)), 200, std::nullopt, stamp(5, 40),
       Unknown{}},
      {"it left nothing", holds("anna", stamp(3, 100)), 200, "ben", stamp(5, 0), Empty{}},
      {"another process since", holds("anna", stamp(3, 100)), 200, "ben", Stamp(), Unknown{}},
      {"another process with a task", holds("anna", stamp(3, 100)), 200, "ben", stamp(1, 40),
       Unknown{}},
      {"a process that shows no task may hold what was restored", restored_only(), 0, "ben",
       Stamp(), Unknown{}},
      {"restored only, never began", restored_only(), 0, "ben", stamp(3, 100), restored_only()},
      {"into an unknown one", Unknown{}, 0, "ben", stamp(5, 12), Unknown{}},
  };
  for (auto const& row : rows) {
    Slot slot;
    slot.content = row.before;
    slot.last_task = 3;
    settle(slot, row.guest ? Guest(*row.guest, true) : Guest(),
           outcome(Kind::cancelled, row.status), std::nullopt, now);
    ASSERT_TRUE(slot.cancelled.has_value()) << row.name;
    EXPECT_EQ(slot.content, row.before) << row.name;
    settle_cancelled(slot, row.seen);
    EXPECT_EQ(slot.content, row.after) << row.name << ": " << to_string(slot.content);
    EXPECT_FALSE(slot.cancelled.has_value()) << row.name;
  }
}

TEST(Settle, an_empty_slot_of_a_process_that_never_ran_a_task_stays_empty) {
  for (auto const status : {200, 400}) {
    Slot slot;
    slot.content = Empty{};
    settle(slot, Guest("ben", true), outcome(Kind::complete, status), Stamp(), now);
    EXPECT_EQ(slot.content, Content(Empty{}));
  }
}

// Anna's slot; ben's request was given up, ran all the same and left as many tokens by chance;
// ben's next one is sent at once and refused.
TEST(Settle, a_refusal_after_a_cancelled_request_renews_nobody_elses_stamp) {
  Slot slot;
  slot.content = holds("anna", stamp(3, 100));
  settle(slot, Guest("ben", true), outcome(Kind::cancelled, 0), std::nullopt, now);
  settle(slot, Guest("ben", true), outcome(Kind::complete, 400), stamp(6, 100), now);
  EXPECT_TRUE(slot.unknown());
  EXPECT_FALSE(slot.cancelled.has_value());
}

TEST(Settle, a_refusal_after_its_own_cancelled_request_leaves_the_owner) {
  Slot slot;
  slot.content = holds("anna", stamp(3, 100));
  settle(slot, Guest("anna", true), outcome(Kind::cancelled, 0), std::nullopt, now);
  settle(slot, Guest("anna", true), outcome(Kind::complete, 400), stamp(6, 100), now);
  EXPECT_EQ(slot.content, Content(holds("anna", stamp(6, 100))));
}

TEST(Settle, an_answer_to_nobody_is_no_reason_to_trust_the_server) {
  Slot slot;
  settle(slot, Guest(), outcome(Kind::complete, 200), std::nullopt, now);
  EXPECT_EQ(slot.last_answer, TimePoint::min());
  settle(slot, Guest("ben", true), outcome(Kind::complete, 200), stamp(5, 40), now);
  EXPECT_EQ(slot.last_answer, now);
}

TEST(Settle, what_is_not_sent_leaves_a_cancelled_request_to_be_seen) {
  Slot slot;
  settle(slot, Guest("ben", true), outcome(Kind::cancelled, 200), std::nullopt, now);
  settle(slot, Guest("ben", true), outcome(Kind::not_sent, 0), std::nullopt, now);
  EXPECT_TRUE(slot.cancelled.has_value());
}

TEST(Settle, without_a_task_to_compare_a_guest_is_not_saved_before_its_second_turn) {
  Slot slot;
  slot.content = holds("anna", std::nullopt);
  settle(slot, Guest("ben", true), outcome(Kind::complete, 200), stamp(5, 40), now);
  EXPECT_FALSE(slot.worth_saving());
  settle(slot, Guest("ben", true), outcome(Kind::complete, 200), stamp(6, 60), now);
  EXPECT_TRUE(slot.worth_saving());
}

TEST(Settle, an_unsaved_session_is_never_worth_saving) {
  Slot slot;
  slot.content = Empty{};
  settle(slot, Guest("anonymous", false), outcome(Kind::complete, 200), stamp(1, 10), now);
  EXPECT_TRUE(slot.holds("anonymous"));
  EXPECT_FALSE(slot.worth_saving());
}

}  // namespace
}  // namespace slotswap::slots
