// Whose turn it is.
#include <slotswap/slots/queue.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace slotswap::slots {
namespace {

TEST(Queue, first_come_first_served) {
  Queue queue;
  EXPECT_TRUE(queue.enter(1));
  EXPECT_FALSE(queue.enter(2));
  EXPECT_FALSE(queue.enter(3));
  EXPECT_FALSE(queue.free());
  EXPECT_EQ(queue.release(1), 2U);
  EXPECT_EQ(queue.release(2), 3U);
  EXPECT_EQ(queue.release(3), std::nullopt);
  EXPECT_TRUE(queue.free());
}

TEST(Queue, only_the_owner_releases_and_only_a_waiter_leaves) {
  Queue queue;
  queue.enter(1);
  queue.enter(2);
  EXPECT_EQ(queue.release(2), std::nullopt);
  EXPECT_EQ(queue.owner(), 1U);
  EXPECT_FALSE(queue.leave(1));
  EXPECT_TRUE(queue.leave(2));
  EXPECT_FALSE(queue.leave(2));
  EXPECT_EQ(queue.waiting(), 0U);
}

TEST(Queue, one_that_left_is_never_granted_and_a_stale_release_changes_nothing) {
  Queue queue;
  queue.enter(1);
  queue.enter(2);
  queue.enter(3);
  queue.leave(2);
  EXPECT_EQ(queue.release(1), 3U);
  EXPECT_EQ(queue.release(1), std::nullopt);
  EXPECT_EQ(queue.owner(), 3U);
}

TEST(Queue, keeps_the_order_of_those_who_stay) {
  std::mt19937 random(7);
  Queue queue;
  std::deque<Ticket> expected;  // the owner first
  Ticket last = 0;
  for (int step = 0; step < 10'000; ++step) {
    auto const what = random() % 3;
    if (what == 0 || expected.empty()) {
      EXPECT_EQ(queue.enter(++last), expected.empty());
      expected.push_back(last);
    } else if (what == 1) {
      auto const owner = expected.front();
      expected.pop_front();
      auto const next = queue.release(owner);
      EXPECT_EQ(next, expected.empty() ? std::nullopt : std::optional(expected.front()));
    } else if (expected.size() > 1) {
      auto const place =
          expected.begin() + 1 + static_cast<std::ptrdiff_t>(random() % (expected.size() - 1));
      EXPECT_TRUE(queue.leave(*place));
      expected.erase(place);
    }
    ASSERT_EQ(queue.owner(), expected.empty() ? std::nullopt : std::optional(expected.front()));
  }
}

}  // namespace
}  // namespace slotswap::slots
