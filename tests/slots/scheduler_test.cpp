// Whose turn it is, and where.
#include <slotswap/slots/scheduler.hpp>

#include <gtest/gtest.h>

#include <chrono>

namespace slotswap::slots {
namespace {

using std::chrono::seconds;

// "TICKET@SEAT", "TICKET@SEAT+SEAT", "-": who starts at each step, by hand.
class SchedulerTest : public testing::Test {
 protected:
  void seats(int count) {
    for (int i = 0; i < count; ++i) all_.push_back(line_.add_seat());
  }
  Request request(Ticket ticket, std::string const& session) {
    Request one;
    one.ticket = ticket;
    one.session = session;
    one.max_overtake = seconds(30);
    one.seats = all_;
    return one;
  }
  void ask(Ticket ticket, std::string const& session) {
    line_.enter(request(ticket, session), now());
  }
  void ask_as(std::string const& client, Ticket ticket, std::string const& session) {
    auto one = request(ticket, session);
    one.client = client;
    line_.enter(std::move(one), now());
  }
  void ask_whole(Ticket ticket) {
    auto one = request(ticket, "");
    one.whole = true;
    line_.enter(std::move(one), now());
  }
  std::string next() {
    auto const granted = line_.next(now());
    if (!granted) return "-";
    auto text = std::to_string(granted->ticket) + "@";
    for (auto const seat : granted->seats)
      text += (text.back() == '@' ? "" : "+") + std::to_string(seat);
    for (auto const seat : granted->left) text += " left " + std::to_string(seat);
    return text;
  }
  void done(std::size_t seat, std::string const& holds, seconds linger = seconds(0)) {
    line_.release(seat, holds, linger, now());
  }
  TimePoint now() const { return TimePoint() + seconds(1000) + at_; }

  seconds at_{};
  Scheduler line_;
  std::vector<std::size_t> all_;
};

TEST_F(SchedulerTest, who_comes_first_starts_first_and_has_the_slot_alone) {
  seats(1);
  ask(1, "a");
  ask(2, "b");
  EXPECT_EQ(next(), "1@0");
  EXPECT_EQ(next(), "-");
  EXPECT_EQ(line_.waiting(), 1U);
  EXPECT_FALSE(line_.free(0));
  done(0, "a");
  EXPECT_EQ(next(), "2@0");
  done(0, "b");
  EXPECT_EQ(next(), "-");
  EXPECT_TRUE(line_.free(0));
}

TEST_F(SchedulerTest, the_session_in_the_slot_goes_first_until_another_waited_too_long) {
  seats(1);
  ask(1, "a");
  EXPECT_EQ(next(), "1@0");
  ask(2, "b");
  ask(3, "a");
  done(0, "a");
  EXPECT_EQ(next(), "3@0");
  ask(4, "a");
  at_ = seconds(29);
  done(0, "a");
  EXPECT_EQ(next(), "4@0");
  ask(5, "a");
  at_ = seconds(30);
  done(0, "a");
  EXPECT_EQ(next(), "2@0");
  done(0, "b");
  EXPECT_EQ(next(), "5@0");
}

TEST_F(SchedulerTest, what_waits_of_an_overdue_session_is_served_with_it_and_no_more) {
  seats(1);
  ask(1, "a");
  EXPECT_EQ(next(), "1@0");
  ask(2, "b");
  ask(3, "c");
  ask(4, "b");
  at_ = seconds(31);
  done(0, "a");
  EXPECT_EQ(next(), "2@0");
  ask(5, "b");  // after the batch was made
  done(0, "b");
  EXPECT_EQ(next(), "4@0") << "though c is overdue as well";
  done(0, "b");
  EXPECT_EQ(next(), "3@0");
}

TEST_F(SchedulerTest, nobody_is_overtaken_by_a_batch_for_longer_than_his_bound) {
  seats(1);
  ask(1, "a");
  EXPECT_EQ(next(), "1@0");
  ask(2, "b");
  ask(3, "c");
  ask(4, "b");
  ask(5, "b");
  at_ = seconds(31);
  done(0, "a");
  EXPECT_EQ(next(), "2@0");
  done(0, "b");
  EXPECT_EQ(next(), "4@0");
  at_ = seconds(61);  // 4 came later than 3 and ran for 30 seconds
  done(0, "b");
  EXPECT_EQ(next(), "3@0");
}

TEST_F(SchedulerTest, one_that_leaves_is_granted_nothing) {
  seats(1);
  ask(1, "a");
  EXPECT_EQ(next(), "1@0");
  ask(2, "b");
  ask(3, "b");
  EXPECT_FALSE(line_.leave(1));
  EXPECT_TRUE(line_.leave(2));
  EXPECT_FALSE(line_.leave(2));
  done(0, "a");
  EXPECT_EQ(next(), "3@0");
}

TEST_F(SchedulerTest, requests_without_a_session_share_none) {
  seats(1);
  ask(1, "");
  EXPECT_EQ(next(), "1@0");
  ask(2, "b");
  ask(3, "");
  done(0, "");
  EXPECT_EQ(next(), "2@0");
}

TEST_F(SchedulerTest, sessions_of_different_clients_take_turns) {
  seats(1);
  ask_as("x", 1, "a");
  EXPECT_EQ(next(), "1@0");
  ask_as("x", 2, "b");
  ask_as("x", 3, "c");
  ask_as("y", 4, "d");
  done(0, "a");
  EXPECT_EQ(next(), "4@0");
  done(0, "d");
  EXPECT_EQ(next(), "2@0");
}

TEST_F(SchedulerTest, a_slot_lingers_for_its_session_while_others_wait) {
  seats(1);
  ask(1, "a");
  EXPECT_EQ(next(), "1@0");
  ask(2, "b");
  done(0, "a", seconds(2));
  EXPECT_EQ(next(), "-");
  EXPECT_EQ(line_.deadline(now()), now() + seconds(2));
  at_ = seconds(1);
  ask(3, "a");
  EXPECT_EQ(next(), "3@0");
  done(0, "a", seconds(2));
  at_ = seconds(3);
  EXPECT_EQ(next(), "2@0");
}

TEST_F(SchedulerTest, work_of_our_own_does_not_wait_for_a_linger) {
  seats(1);
  ask(1, "a");
  EXPECT_EQ(next(), "1@0");
  done(0, "a", seconds(20));
  auto save = request(2, "");
  save.lingers = false;
  line_.enter(std::move(save), now());
  EXPECT_EQ(next(), "2@0");
}

TEST_F(SchedulerTest, it_never_lingers_past_the_bound_nor_for_nobody) {
  seats(1);
  ask(1, "a");
  EXPECT_EQ(next(), "1@0");
  ask(2, "b");
  at_ = seconds(29);
  done(0, "a", seconds(5));
  EXPECT_EQ(next(), "-");
  EXPECT_EQ(line_.deadline(now()), now() + seconds(1));
  at_ = seconds(30);
  EXPECT_EQ(next(), "2@0");
  done(0, "", seconds(5));
  ask(3, "c");
  EXPECT_EQ(next(), "3@0");
  done(0, "c", seconds(5));
  EXPECT_EQ(line_.deadline(now()), std::nullopt) << "nobody waits";
}

TEST_F(SchedulerTest, a_new_session_gets_an_empty_slot_then_the_one_used_longest_ago) {
  seats(3);
  ask(1, "a");
  ask(2, "b");
  ask(3, "c");
  EXPECT_EQ(next(), "1@0");
  EXPECT_EQ(next(), "2@1");
  EXPECT_EQ(next(), "3@2");
  at_ = seconds(1);
  done(2, "c");
  at_ = seconds(2);
  done(0, "a");
  at_ = seconds(3);
  done(1, "");
  ask(4, "d");
  EXPECT_EQ(next(), "4@1");
  ask(5, "e");
  EXPECT_EQ(next(), "5@2");
}

TEST_F(SchedulerTest, a_session_is_in_one_slot_and_its_requests_wait_there) {
  seats(2);
  ask(1, "a");
  EXPECT_EQ(next(), "1@0");
  ask(2, "a");
  EXPECT_EQ(next(), "-") << "though the other slot is free";
  at_ = seconds(40);
  EXPECT_EQ(next(), "-");
  done(0, "a");
  EXPECT_EQ(next(), "2@0");
}

TEST_F(SchedulerTest, it_moves_when_its_slot_is_closed) {
  seats(2);
  ask(1, "a");
  EXPECT_EQ(next(), "1@0");
  done(0, "a");
  line_.open(0, false);
  ask(2, "a");
  EXPECT_EQ(next(), "2@1 left 0");
  ask(3, "b");
  EXPECT_EQ(next(), "-");
  line_.open(1, false);
  EXPECT_EQ(next(), "3@0") << "where every slot is closed one is tried";
}

TEST_F(SchedulerTest, it_moves_from_a_closed_slot_in_which_it_still_runs) {
  seats(2);
  ask(1, "a");
  EXPECT_EQ(next(), "1@0");
  line_.open(0, false);
  ask(2, "a");
  EXPECT_EQ(next(), "2@1 left 0");
}

TEST_F(SchedulerTest, a_whole_request_has_all_slots_and_is_not_starved) {
  seats(2);
  ask(1, "a");
  ask(2, "b");
  EXPECT_EQ(next(), "1@0");
  EXPECT_EQ(next(), "2@1");
  ask_whole(3);
  ask(4, "a");
  at_ = seconds(30);
  done(0, "a");
  EXPECT_EQ(next(), "-") << "slot 0 is kept free for 3";
  done(1, "b");
  EXPECT_EQ(next(), "3@0+1");
  EXPECT_EQ(next(), "-");
  done(0, "");
  EXPECT_EQ(next(), "4@0");
}

TEST_F(SchedulerTest, a_whole_request_that_leaves_frees_what_was_kept_for_it) {
  seats(2);
  ask(1, "a");
  EXPECT_EQ(next(), "1@0");
  ask_whole(2);
  EXPECT_EQ(next(), "-");
  ask(3, "b");
  EXPECT_EQ(next(), "-");
  EXPECT_TRUE(line_.leave(2));
  EXPECT_EQ(next(), "3@1");
}

TEST_F(SchedulerTest, a_session_that_is_being_saved_waits_for_that_wherever_it_goes) {
  seats(2);
  ask(1, "a");
  ask(2, "b");
  EXPECT_EQ(next(), "1@0");
  EXPECT_EQ(next(), "2@1");
  line_.swapped(0);
  line_.swapped(1);
  done(0, "a");
  ask(3, "c");
  EXPECT_EQ(next(), "3@0");
  done(1, "b");
  ask(4, "a");
  EXPECT_EQ(next(), "-") << "slot 1 is free, but a is still being written from slot 0";
  line_.swapped(0);
  EXPECT_EQ(next(), "4@1 left 0");
}

TEST_F(SchedulerTest, a_session_in_a_closed_slot_waits_for_no_save) {
  seats(2);
  ask(1, "a");
  EXPECT_EQ(next(), "1@0");
  done(0, "a");
  auto one = request(2, "c");
  one.seats = {0};
  line_.enter(std::move(one), now());
  EXPECT_EQ(next(), "2@0");
  ask(3, "a");
  EXPECT_EQ(next(), "-");
  line_.open(0, false);
  EXPECT_EQ(next(), "3@1 left 0");
}

TEST_F(SchedulerTest, what_avoids_a_session_waits_for_another_slot_than_its) {
  seats(2);
  ask(1, "a");
  ask(2, "b");
  EXPECT_EQ(next(), "1@0");
  EXPECT_EQ(next(), "2@1");
  done(0, "a");
  auto title = request(3, "a beside");
  title.avoid = "a";
  line_.enter(std::move(title), now());
  EXPECT_EQ(next(), "-") << "slot 0 is free, and a's";
  at_ = seconds(31);
  EXPECT_EQ(next(), "-") << "however long it waits";
  ask(4, "a");
  EXPECT_EQ(next(), "4@0");
  done(1, "b");
  EXPECT_EQ(next(), "3@1");
}

TEST_F(SchedulerTest, what_avoids_a_session_runs_in_its_slot_where_there_is_no_other) {
  seats(2);
  ask(1, "a");
  EXPECT_EQ(next(), "1@0");
  done(0, "a");
  line_.open(1, false);
  auto title = request(2, "a beside");
  title.avoid = "a";
  line_.enter(std::move(title), now());
  EXPECT_EQ(next(), "2@0");
}

TEST_F(SchedulerTest, a_request_runs_only_where_it_may) {
  seats(2);
  auto one = request(1, "a");
  one.seats = {1};
  line_.enter(std::move(one), now());
  EXPECT_EQ(next(), "1@1");
  one = request(2, "b");
  one.seats = {1};
  line_.enter(std::move(one), now());
  EXPECT_EQ(next(), "-");
  EXPECT_TRUE(line_.free(0));
  EXPECT_FALSE(line_.free(1));
}

}  // namespace
}  // namespace slotswap::slots
