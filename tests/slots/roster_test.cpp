// Room on a router: who goes, who waits, who has to leave.
#include <slotswap/slots/roster.hpp>

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace slotswap::slots {
namespace {

using Kind = Roster::Step::Kind;

struct Stage {
  Stage(std::size_t most, std::initializer_list<char const*> loaded) {
    roster.limit(most);
    for (auto const* name : loaded) roster.saw(name, Presence::present);
  }
  Kind kind(char const* model, Ticket ticket) { return roster.next(model, ticket).kind; }
  Roster roster;
};

TEST(Roster, a_loaded_model_is_never_held_up) {
  Stage stage(1, {"a"});
  stage.roster.begin("a");
  EXPECT_EQ(stage.kind("b", 1), Kind::wait);
  EXPECT_EQ(stage.kind("a", 2), Kind::go);
}

TEST(Roster, a_sleeping_one_is_loaded_as_far_as_room_goes) {
  Stage stage(1, {"a"});
  stage.roster.saw("a", Presence::asleep);
  EXPECT_EQ(stage.kind("a", 1), Kind::go);
  EXPECT_EQ(stage.kind("b", 2), Kind::evict);
}

TEST(Roster, without_a_limit_there_is_always_room) {
  Stage stage(0, {"a", "b", "c"});
  EXPECT_EQ(stage.kind("d", 1), Kind::load);
}

TEST(Roster, the_victim_is_the_one_whose_last_use_began_first) {
  Stage stage(3, {"a", "b", "c"});
  for (auto const* name : {"b", "a", "c", "b"}) {
    stage.roster.begin(name);
    stage.roster.end(name);
  }
  auto const step = stage.roster.next("d", 1);
  EXPECT_EQ(step.kind, Kind::evict);
  EXPECT_EQ(step.victim, "a");
}

TEST(Roster, the_start_of_a_use_counts_and_not_its_end) {
  Stage stage(2, {"a", "b"});
  stage.roster.begin("a");
  stage.roster.begin("b");
  stage.roster.end("b");
  stage.roster.end("a");
  EXPECT_EQ(stage.roster.next("c", 1).victim, "a");
}

TEST(Roster, busy_loading_leaving_reserved_and_stuck_ones_are_no_victims) {
  Stage stage(2, {"a", "b"});
  stage.roster.begin("a");
  stage.roster.saw("b", Presence::loading);
  EXPECT_EQ(stage.kind("c", 1), Kind::wait);
  stage.roster.saw("b", Presence::present);
  EXPECT_EQ(stage.roster.next("c", 1).victim, "b");
  stage.roster.reserve("b");
  EXPECT_EQ(stage.kind("c", 1), Kind::wait);
  stage.roster.release("b");
  stage.roster.leave("b");
  EXPECT_EQ(stage.kind("c", 1), Kind::wait);
  stage.roster.left("b", true);
  EXPECT_EQ(stage.kind("c", 1), Kind::wait);
  // News of it: it may be tried again.
  stage.roster.saw("b", Presence::asleep);
  EXPECT_EQ(stage.roster.next("c", 1).victim, "b");
}

TEST(Roster, a_model_that_leaves_takes_no_request) {
  Stage stage(1, {"a"});
  stage.roster.leave("a");
  EXPECT_EQ(stage.kind("a", 1), Kind::wait);
  stage.roster.saw("a", Presence::absent);
  EXPECT_EQ(stage.kind("a", 1), Kind::wait);
  stage.roster.left("a", false);
  EXPECT_EQ(stage.kind("a", 1), Kind::load);
}

TEST(Roster, two_that_need_room_do_not_choose_one_victim_twice) {
  Stage stage(2, {"a", "b"});
  auto const first = stage.roster.next("c", 1);
  ASSERT_EQ(first.kind, Kind::evict);
  stage.roster.leave(first.victim);
  EXPECT_EQ(stage.kind("d", 2), Kind::wait);
  stage.roster.saw(first.victim, Presence::absent);
  stage.roster.left(first.victim, false);
  ASSERT_EQ(stage.kind("c", 1), Kind::load);
  stage.roster.reserve("c");
  auto const second = stage.roster.next("d", 2);
  ASSERT_EQ(second.kind, Kind::evict);
  EXPECT_NE(second.victim, first.victim);
}

TEST(Roster, room_goes_to_who_asked_first) {
  Stage stage(1, {"a"});
  stage.roster.begin("a");
  EXPECT_EQ(stage.kind("b", 1), Kind::wait);
  EXPECT_EQ(stage.kind("c", 2), Kind::wait);
  stage.roster.end("a");
  EXPECT_EQ(stage.kind("c", 2), Kind::wait);
  EXPECT_EQ(stage.kind("b", 1), Kind::evict);
  stage.roster.give_up(1);
  EXPECT_EQ(stage.kind("c", 2), Kind::evict);
}

TEST(Roster, who_waits_for_anothers_load_holds_up_nobody) {
  Stage stage(2, {"a"});
  stage.roster.begin("a");
  EXPECT_EQ(stage.kind("b", 1), Kind::load);
  stage.roster.reserve("b");
  EXPECT_EQ(stage.kind("b", 2), Kind::wait);
  EXPECT_EQ(stage.kind("c", 3), Kind::wait);
  stage.roster.end("a");
  EXPECT_EQ(stage.kind("c", 3), Kind::evict);
}

TEST(Roster, a_reservation_ends_when_the_load_came_to_nothing) {
  Stage stage(1, {});
  EXPECT_EQ(stage.kind("a", 1), Kind::load);
  stage.roster.reserve("a");
  EXPECT_EQ(stage.kind("b", 2), Kind::wait);
  stage.roster.release("a");
  EXPECT_EQ(stage.kind("b", 2), Kind::load);
}

// A walk of requests, unloads and the router's own moves: never more models than there is room for,
// nobody evicted while in use, and everybody gets through.
TEST(Roster, a_random_walk_ends_with_everybody_served) {
  constexpr int steps = 20'000;
  constexpr std::size_t most = 2;
  std::mt19937 random(7);
  Roster roster;
  roster.limit(most);
  std::vector<std::string> const names{"a", "b", "c", "d"};
  std::map<Ticket, std::string> waiting;
  std::multiset<std::string> running;
  Ticket last = 0;
  std::uint64_t served = 0;
  auto const loaded = [&] {
    return std::count_if(names.begin(), names.end(), [&](auto const& name) {
      return roster.presence(name) != Presence::absent;
    });
  };
  auto const try_all = [&] {
    for (auto place = waiting.begin(); place != waiting.end();) {
      auto const& [ticket, name] = *place;
      auto const step = roster.next(name, ticket);
      if (step.kind == Kind::evict) {
        ASSERT_EQ(running.count(step.victim), 0U);
        roster.leave(step.victim);
        roster.saw(step.victim, Presence::absent);
        roster.left(step.victim, false);
        continue;
      }
      if (step.kind == Kind::load) {
        roster.saw(name, Presence::loading);
        roster.saw(name, Presence::present);
        ASSERT_LE(loaded(), static_cast<std::ptrdiff_t>(most));
        continue;
      }
      if (step.kind == Kind::wait) {
        ++place;
        continue;
      }
      roster.begin(name);
      running.insert(name);
      ++served;
      place = waiting.erase(place);
    }
  };
  for (int i = 0; i < steps; ++i) {
    auto const what = random() % 8;
    if (what < 3) {
      waiting.emplace(++last, names[random() % names.size()]);
    } else if (what < 6 && !running.empty()) {
      auto const one = *std::next(running.begin(), static_cast<long>(random() % running.size()));
      running.erase(running.find(one));
      roster.end(one);
    } else if (what == 6) {
      roster.saw(names[random() % names.size()], Presence::absent);
    } else if (!waiting.empty()) {
      auto const place = std::next(waiting.begin(), static_cast<long>(random() % waiting.size()));
      roster.give_up(place->first);
      waiting.erase(place);
    }
    try_all();
  }
  while (!running.empty()) {
    auto const one = *running.begin();
    running.erase(running.begin());
    roster.end(one);
    try_all();
  }
  EXPECT_TRUE(waiting.empty());
  EXPECT_GT(served, 1000U);
}

}  // namespace
}  // namespace slotswap::slots
