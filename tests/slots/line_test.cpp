// Who may wait, and for how long it is said to take.
#include <slotswap/slots/line.hpp>

#include <gtest/gtest.h>

#include <chrono>

namespace slotswap::slots {
namespace {

Line::Limits limits(std::uint64_t in_all, std::uint64_t per_client) {
  Line::Limits both;
  both.in_all = in_all;
  both.per_client = per_client;
  return both;
}

TEST(Line, has_no_limit_unless_one_is_set) {
  Line line;
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(line.enter(0, "x", limits(0, 0)));
  EXPECT_EQ(line.waiting(0), 1000U);
}

TEST(Line, counts_by_route_and_gives_places_back) {
  Line line;
  EXPECT_FALSE(line.enter(0, "x", limits(2, 0)));
  EXPECT_FALSE(line.enter(0, "y", limits(2, 0)));
  EXPECT_EQ(line.enter(0, "z", limits(2, 0)),
            "the route has 2 requests waiting for a slot, as many as max_queue allows");
  EXPECT_FALSE(line.enter(1, "z", limits(2, 0))) << "another route";
  line.leave(0, "x", std::nullopt);
  EXPECT_FALSE(line.enter(0, "z", limits(2, 0)));
}

TEST(Line, counts_by_client) {
  Line line;
  EXPECT_FALSE(line.enter(0, "x", limits(0, 1)));
  EXPECT_EQ(line.enter(0, "x", limits(0, 1)),
            "this client has 1 requests waiting for a slot, as many as max_queue_per_key allows");
  EXPECT_FALSE(line.enter(0, "y", limits(0, 1)));
  line.leave(0, "x", std::nullopt);
  EXPECT_FALSE(line.enter(0, "x", limits(0, 1)));
}

TEST(Line, says_how_long_the_last_ones_waited) {
  Line line;
  EXPECT_EQ(line.seconds_to_wait(0), 1) << "nothing is known";
  for (int i = 0; i < 40; ++i) {
    line.enter(0, "x", limits(0, 0));
    line.leave(0, "x", std::chrono::milliseconds(2500));
  }
  EXPECT_EQ(line.seconds_to_wait(0), 3);
  line.enter(0, "x", limits(0, 0));
  line.leave(0, "x", std::nullopt);
  EXPECT_EQ(line.seconds_to_wait(0), 3) << "one that was given up waited for nothing";
  for (int i = 0; i < 40; ++i) {
    line.enter(0, "x", limits(0, 0));
    line.leave(0, "x", std::chrono::hours(5));
  }
  EXPECT_EQ(line.seconds_to_wait(0), 600);
}

TEST(Line, a_place_is_given_up_when_it_is_dropped) {
  Line line;
  line.enter(0, "x", limits(0, 0));
  { PlaceInLine const place(line, 0, "x", base::TimePoint()); }
  EXPECT_EQ(line.waiting(0), 0U);
  EXPECT_EQ(line.seconds_to_wait(0), 1);
}

}  // namespace
}  // namespace slotswap::slots
