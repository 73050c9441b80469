// Requests that the server takes and forgets, while its slot stands idle.
#include "sim/router_house.hpp"

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

using llama_sim::Fault;
using llama_sim::Hold;

// With the simulated server's scale a look every 40 ms.
constexpr auto soon = "stuck_seconds: 0.12";

std::size_t looks(House& house) {
  return house.sim->book().count("GET", "/slots");
}

std::size_t sent(House& house, std::string const& session) {
  auto const book = house.sim->book();
  return static_cast<std::size_t>(
      std::count_if(book.calls.begin(), book.calls.end(),
                    [&](llama_sim::Call const& call) { return call.session == session; }));
}

RawClient begin(House& house, std::string const& session, std::string const& more = "") {
  return house.begin(session, story(session, 100), more);
}

TEST(Stuck, a_request_that_was_forgotten_is_sent_once_more) {
  House house("", nullptr, "", soon);
  house.sim->order(Fault::swallow);
  auto const reply = house.chat("anna", story("anna", 100));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(sent(house, "anna"), 2U);
  EXPECT_EQ(house.log.count("event=server server=main state=stuck request=1"), 1U);
  // What it left in the slot is the session's, as ever.
  house.chat("ben", story("ben", 100));
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
}

TEST(Stuck, a_stream_as_well) {
  House house("", nullptr, "", soon);
  house.sim->order(Fault::swallow);
  auto client = begin(house, "anna", R"("stream":true,)");
  EXPECT_TRUE(read_answer(client).body.ends_with("data: [DONE]\n\n"));
  EXPECT_EQ(house.log.count("state=stuck"), 1U);
}

TEST(Stuck, the_second_time_is_an_error_and_the_slot_serves_on) {
  House house("", nullptr, "", soon);
  house.chat("anna", story("anna", 100));
  house.sim->order(Fault::swallow, 2);
  auto const answer = house.ask("/v1/chat/completions", {{"X-Session-ID", "anna"}},
                                house.chat_body(story("anna", 101)));
  EXPECT_EQ(answer.status, 504);
  EXPECT_NE(answer.body.find(R"("code":"upstream_stuck")"), std::string::npos) << answer.body;
  EXPECT_EQ(sent(house, "anna"), 3U);
  EXPECT_EQ(house.log.count(" state=stuck"), 1U);
  EXPECT_EQ(house.log.count(" state=upstream_stuck request=2"), 1U);
  EXPECT_EQ(house.log.count("status=504 code=upstream_stuck"), 1U);
  EXPECT_GE(house.chat("anna", story("anna", 102)).reused, 99);
}

TEST(Stuck, a_slot_at_work_is_no_sign_of_it) {
  House house("", nullptr, "", soon);
  house.chat("ben", story("ben", 100));
  house.sim->hold(Hold::prefill);
  auto client = begin(house, "anna");
  ASSERT_TRUE(eventually([&] { return house.sim->book().completions_started == 2; }));
  auto const before = looks(house);
  ASSERT_TRUE(eventually([&] { return looks(house) > before + 10; }));
  house.sim->hold(Hold::nowhere);
  EXPECT_EQ(read_answer(client).status, 200);
  EXPECT_EQ(sent(house, "anna"), 1U);
  EXPECT_EQ(house.log.count("state=stuck"), 0U);
}

TEST(Stuck, looks_that_fail_say_nothing) {
  House house("", nullptr, "", soon);
  house.chat("anna", story("anna", 100));
  ASSERT_TRUE(house.settled());
  house.sim->order(Fault::swallow);
  house.sim->order(Fault::slots_error, 1000);
  auto client = begin(house, "anna");
  auto const before = looks(house);
  ASSERT_TRUE(eventually([&] { return looks(house) > before + 10; }));
  EXPECT_EQ(house.log.count("state=stuck"), 0U);
  client.close();
  ASSERT_TRUE(eventually([&] { return house.log.count("status=499") == 1; }));
}

TEST(Stuck, a_client_that_leaves_meanwhile_is_not_sent_again) {
  House house("", nullptr, "", "stuck_seconds: 3600");
  house.sim->order(Fault::swallow);
  auto client = begin(house, "anna");
  ASSERT_TRUE(eventually([&] { return sent(house, "anna") == 1; }));
  client.close();
  ASSERT_TRUE(eventually([&] { return house.log.count("status=499") == 1; }));
  EXPECT_EQ(house.chat("ben", story("ben", 100)).status, 200);
  EXPECT_EQ(sent(house, "anna"), 1U);
}

// Another one, that is watched, says when it would have been seen.
TEST(Stuck, with_0_nothing_is_watched) {
  House house("", nullptr, "", "stuck_seconds: 0");
  House watched("", nullptr, "", soon);
  house.sim->order(Fault::swallow);
  watched.sim->order(Fault::swallow);
  auto client = begin(house, "anna");
  ASSERT_TRUE(eventually([&] { return sent(house, "anna") == 1; }));
  auto const before = looks(house);
  EXPECT_EQ(watched.chat("anna", story("anna", 100)).status, 200);
  EXPECT_EQ(watched.log.count("state=stuck"), 1U);
  EXPECT_EQ(looks(house), before);
  EXPECT_EQ(sent(house, "anna"), 1U);
}

TEST(Stuck, on_a_router_it_is_the_models_own_slot) {
  RouterHouse house(nullptr, "", "", soon);
  house.turn("b", "ben", 100);
  house.sim->hold(Hold::prefill);
  auto busy = house.begin("b", "ben", 101);
  ASSERT_TRUE(eventually([&] { return house.sim->book().completions_started == 2; }));
  house.sim->order(Fault::swallow);
  auto client = house.begin("a", "anna", 100);
  ASSERT_TRUE(eventually([&] { return house.log.count("state=stuck") == 1; }));
  EXPECT_GT(house.calls("/slots?model=a&autoload=false", "a"), 1U);
  house.sim->hold(Hold::nowhere);
  EXPECT_EQ(read_answer(client).status, 200);
  EXPECT_EQ(read_answer(busy).status, 200);
  EXPECT_EQ(house.log.count("state=stuck"), 1U);
}

}  // namespace
}  // namespace slotswap::test
