// Clients that leave: in the middle of the prompt, in the middle of the answer.
#include "real/house.hpp"

#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>

#include <string>

namespace slotswap::test {
namespace {

constexpr int long_story = 300;  // a prefill of some seconds

RealHouseOptions slow() {
  RealHouseOptions options;
  options.server.model = "mid";
  return options;
}

bool slot_is_busy(RealHouse const& house) {
  auto const slots = request(house.server.port(), "GET", "/slots").body;
  return slots.find("\"is_processing\":true") != std::string::npos;
}

std::string last_line(RealHouse const& house, std::string const& name) {
  auto const lines =
      house.proxy->lines({"event=request ", "session=" + session::state_id(name), "status=200"});
  return lines.empty() ? "" : lines.back();
}

void leave_in_the_prefill(RealHouse const& house, std::string const& name) {
  LeavingClient client(house, name, user_says(story(name, long_story)), "");
  ASSERT_TRUE(eventually([&] { return slot_is_busy(house); }));
  client.leave();
  ASSERT_TRUE(house.proxy->said({"event=request ", "code=client_gone"}));
}

void leave_in_the_answer(RealHouse const& house, std::string const& name) {
  LeavingClient client(house, name, user_says(story(name, 30)),
                       R"("stream":true,"max_tokens":3000,)");
  client.wait_for_first_event();
  client.leave();
  ASSERT_TRUE(house.proxy->said({"event=request ", "code=client_gone"}));
}

TEST(RealCancel, in_the_prefill_the_same_session_goes_on_at_once) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house(slow());
  leave_in_the_prefill(house, "anna");
  auto const again = house.chat("anna", story("anna", long_story));
  EXPECT_EQ(again.status, 200) << again.body;
  auto const line = last_line(house, "anna");
  EXPECT_NE(line.find(" slot=resident "), std::string::npos) << line;
  EXPECT_EQ(line.find("swapped="), std::string::npos) << line;
  house.chat("ben", story("ben", 20));
  EXPECT_EQ(house.expect_own_tokens({"anna", "ben"}, 20), 1U);
}

TEST(RealCancel, in_the_prefill_another_session_waits_until_the_slot_is_idle) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house(slow());
  leave_in_the_prefill(house, "anna");
  EXPECT_EQ(house.chat("ben", story("ben", 30)).status, 200);
  // Only what is idle is saved (giving_up_work_test: no call of ours waits at the server).
  auto const line = last_line(house, "ben");
  EXPECT_NE(line.find(" swapped=save"), std::string::npos) << line;
  // What was read of anna's prompt is hers.
  auto const again = house.chat("anna", story("anna", long_story));
  EXPECT_EQ(again.status, 200) << again.body;
  house.chat("ben", story("ben", 30));
  EXPECT_EQ(house.stop_proxy(), 0);
  EXPECT_EQ(house.expect_own_tokens({"anna", "ben"}, 30), 2U);
}

TEST(RealCancel, in_the_answer_the_same_session_goes_on_at_once) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house(slow());
  leave_in_the_answer(house, "anna");
  auto const again = house.chat("anna", story("anna", 30));
  EXPECT_EQ(again.status, 200) << again.body;
  EXPECT_LE(again.read, 1);
  auto const line = last_line(house, "anna");
  EXPECT_NE(line.find(" slot=resident "), std::string::npos) << line;
  EXPECT_EQ(house.stop_proxy(), 0);
  EXPECT_EQ(house.expect_own_tokens({"anna"}, 30), 1U);
}

TEST(RealCancel, in_the_answer_another_session_waits_until_the_slot_is_idle) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house(slow());
  leave_in_the_answer(house, "anna");
  EXPECT_EQ(house.chat("ben", story("ben", 30)).status, 200);
  auto const line = last_line(house, "ben");
  EXPECT_NE(line.find("swapped=save"), std::string::npos) << line;
  EXPECT_NE(line.find(" swapped=save"), std::string::npos) << line;
  auto const again = house.chat("anna", story("anna", 30));
  EXPECT_LE(again.read, 1);
  EXPECT_EQ(house.stop_proxy(), 0);
  EXPECT_EQ(house.expect_own_tokens({"anna", "ben"}, 30), 2U);
}

}  // namespace
}  // namespace slotswap::test
