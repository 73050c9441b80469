// A server that sleeps (--sleep-idle-seconds) drops what its slot held, and wakes for nearly
// everything that is asked of it.
#include "real/house.hpp"

#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace slotswap::test {
namespace {

RealHouseOptions sleepy(std::string slots) {
  RealHouseOptions options;
  options.server.args = {"--sleep-idle-seconds", "1"};
  options.slots = std::move(slots);
  return options;
}

TEST(RealSleep, a_slot_that_slept_is_not_saved_and_the_server_is_not_woken_for_it) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house(sleepy("save_idle_seconds: 2.5"));
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  ASSERT_TRUE(eventually([&] { return house.asleep(); }));
  // The idle save falls into this time.
  EXPECT_FALSE(eventually([&] { return !house.asleep(); }, Milliseconds{3'000}));
  EXPECT_EQ(house.proxy->count({"event=save ", "session=" + session::state_id("ben")}), 0U);

  auto const again = house.chat("anna", story("anna", 100));
  EXPECT_EQ(again.status, 200) << again.body;
  EXPECT_EQ(house.proxy->count({"event=restore ", "result=ok"}), 1U);
  EXPECT_LE(again.read, 1);
  EXPECT_EQ(house.expect_own_tokens({"anna", "ben"}, 100), 1U);
}

TEST(RealSleep, a_session_that_was_saved_before_the_sleep_is_restored_after_it) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house(sleepy("save_idle_seconds: 0.3"));
  house.chat("anna", story("anna", 100));
  ASSERT_TRUE(house.proxy->said({"event=save ", "result=ok"}));
  ASSERT_TRUE(eventually([&] { return house.asleep(); }));
  // Nothing is asked without need until the last answer is 2 s old.
  EXPECT_FALSE(eventually([&] { return !house.asleep(); }, Milliseconds{1'500}));
  auto const again = house.chat("anna", story("anna", 100));
  EXPECT_EQ(house.proxy->count({"event=request ", "note=slept_or_restarted", "swapped=restore"}),
            1U)
      << house.proxy->log();
  EXPECT_LE(again.read, 1);
  EXPECT_EQ(house.proxy->count({"event=save "}), 1U);
}

TEST(RealSleep, the_end_of_the_proxy_saves_nothing_of_a_server_that_sleeps) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house(sleepy("save_idle_seconds: 60"));
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  ASSERT_TRUE(eventually([&] { return house.asleep(); }));
  EXPECT_FALSE(eventually([&] { return !house.asleep(); }, Milliseconds{1'500}));
  EXPECT_EQ(house.stop_proxy(), 0);
  EXPECT_TRUE(house.asleep());
  EXPECT_EQ(house.expect_own_tokens({"anna", "ben"}, 100), 1U);
}

}  // namespace
}  // namespace slotswap::test
