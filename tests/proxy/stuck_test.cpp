#include "stuck.hpp"

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

using namespace std::chrono_literals;
using proxy::IdleCount;

llama::SlotLook look(bool busy, std::int64_t task = 7) {
  llama::SlotLook look;
  look.busy = busy;
  look.task = task;
  return look;
}

base::TimePoint at(std::chrono::seconds time) {
  return base::TimePoint() + time;
}

TEST(IdleCount, a_slot_that_is_idle_in_each_look_until_the_limit_is_stuck) {
  IdleCount idle(60s);
  for (auto const time : {10s, 20s, 69s}) EXPECT_FALSE(idle.saw(look(false), at(time)));
  EXPECT_TRUE(idle.saw(look(false), at(70s)));
}

TEST(IdleCount, one_that_showed_no_task_yet_is_no_exception) {
  IdleCount idle(60s);
  EXPECT_FALSE(idle.saw(llama::SlotLook(), at(10s)));
  EXPECT_TRUE(idle.saw(llama::SlotLook(), at(70s)));
}

TEST(IdleCount, a_busy_look_starts_the_time_anew) {
  IdleCount idle(60s);
  EXPECT_FALSE(idle.saw(look(false), at(10s)));
  EXPECT_FALSE(idle.saw(look(true), at(60s)));
  EXPECT_FALSE(idle.saw(look(true), at(500s)));
  EXPECT_FALSE(idle.saw(look(false), at(510s)));
  EXPECT_FALSE(idle.saw(look(false), at(569s)));
  EXPECT_TRUE(idle.saw(look(false), at(570s)));
}

TEST(IdleCount, a_look_that_failed_starts_the_time_anew) {
  IdleCount idle(60s);
  EXPECT_FALSE(idle.saw(look(false), at(10s)));
  idle.interrupted();
  EXPECT_FALSE(idle.saw(look(false), at(80s)));
  EXPECT_TRUE(idle.saw(look(false), at(140s)));
}

TEST(IdleCount, a_slot_that_ran_something_between_two_looks_was_not_idle) {
  IdleCount idle(60s);
  EXPECT_FALSE(idle.saw(look(false, 7), at(10s)));
  EXPECT_FALSE(idle.saw(look(false, 8), at(70s)));
  EXPECT_TRUE(idle.saw(look(false, 8), at(130s)));
}

}  // namespace
}  // namespace slotswap::test
