#include <slotswap/session/seen.hpp>

#include <gtest/gtest.h>

namespace slotswap::session {
namespace {

TEST(Seen, a_session_is_new_once) {
  Seen seen(10);
  EXPECT_FALSE(seen.meet("a"));
  EXPECT_FALSE(seen.meet("b"));
  EXPECT_TRUE(seen.meet("a"));
  seen.forget("a");
  seen.forget("nobody");
  EXPECT_FALSE(seen.meet("a"));
  EXPECT_EQ(seen.size(), 2U);
}

TEST(Seen, the_one_not_met_for_longest_is_forgotten) {
  Seen seen(3);
  for (auto const* session : {"a", "b", "c", "a", "d"}) seen.meet(session);
  EXPECT_EQ(seen.size(), 3U);
  EXPECT_TRUE(seen.meet("a"));
  EXPECT_TRUE(seen.meet("c"));
  EXPECT_TRUE(seen.meet("d"));
  EXPECT_FALSE(seen.meet("b"));
}

TEST(Seen, a_limit_of_zero_remembers_nobody) {
  Seen seen(0);
  EXPECT_FALSE(seen.meet("a"));
  EXPECT_FALSE(seen.meet("a"));
  EXPECT_EQ(seen.size(), 0U);
}

}  // namespace
}  // namespace slotswap::session
