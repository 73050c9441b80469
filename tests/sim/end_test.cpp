// SIGTERM: nothing new, what runs may end, then every dirty slot is saved.
#include "sim/house.hpp"

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

TEST(End, saves_what_is_dirty) {
  House house;
  house.chat("anna", story("anna", 100));
  EXPECT_EQ(house.files(".json").size(), 0U);
  house.proxy->stop();
  EXPECT_EQ(house.files(".json").size(), 1U);
}

TEST(End, running_answers_may_end_and_waiting_requests_are_turned_away) {
  House house;
  house.sim->hold(llama_sim::Hold::answer);
  auto running = house.begin("anna", "one two");
  ASSERT_TRUE(eventually([&] { return house.sim->book().completions_started == 1; }));
  auto waiting = house.begin("ben", "three");
  ASSERT_TRUE(eventually([&] { return house.waiting() == 1; }));
  house.proxy->begin_stop();
  auto const turned_away = read_answer(waiting);
  EXPECT_EQ(turned_away.status, 503);
  EXPECT_NE(turned_away.body.find("shutting_down"), std::string::npos);
  EXPECT_TRUE(turned_away.header("retry-after").has_value());
  house.sim->hold(llama_sim::Hold::nowhere);
  EXPECT_EQ(read_answer(running).status, 200);
  house.proxy->stop();
  EXPECT_EQ(house.files(".json").size(), 1U);
}

TEST(End, answers_are_cut_after_the_drain) {
  House house("", nullptr, "drain_seconds: 0.05\n");
  house.sim->hold(llama_sim::Hold::answer);
  RawClient running(house.proxy->port());
  running.send(make_request("POST", "/v1/chat/completions", {{"X-Session-ID", "anna"}},
                            house.chat_body("one two", R"("stream":true,)")));
  running.read_until("data:");
  house.proxy->stop();
  EXPECT_FALSE(running.read_to_end().find("[DONE]") != std::string::npos);
  EXPECT_EQ(house.log.count("event=stop cut="), 1U);
}

}  // namespace
}  // namespace slotswap::test
