// X-Conversation-Id, with which llama-server goes on with a stream after its client has left.
#include "sim/house.hpp"

#include <gtest/gtest.h>

#include <future>
#include <string>

namespace slotswap::test {
namespace {

using llama_sim::Hold;

Headers const resumable{{"X-Session-ID", "anna"}, {"X-Conversation-Id", "one"}};

// With the first word of its answer on the way.
RawClient begin_stream(House& house) {
  house.sim->hold(Hold::answer);
  RawClient client(house.proxy->port());
  client.send(make_request("POST", "/v1/chat/completions", resumable,
                           house.chat_body(story("anna", 100), R"("stream":true,)")));
  client.read_until("data: ");
  return client;
}

void leave(House& house, RawClient& client) {
  client.close();
  ASSERT_TRUE(eventually([&] { return house.log.count("code=client_gone") == 1; }));
}

bool lease_is_free(House& house) {
  auto free = false;
  house.proxy->on_loop([&] { free = house.proxy->service().host("main")->keeper().free(); });
  return free;
}

TEST(Detached, without_leave_the_header_is_dropped_and_said_once) {
  House house;
  auto client = begin_stream(house);
  leave(house, client);
  EXPECT_TRUE(eventually([&] { return house.sim->book().completions_cancelled == 1; }));
  house.sim->hold(Hold::nowhere);
  EXPECT_EQ(
      house.ask("/v1/chat/completions", resumable, house.chat_body(story("anna", 101))).status,
      200);
  EXPECT_EQ(house.log.count("X-Conversation-Id is not forwarded"), 1U);
}

TEST(Detached, with_leave_the_slot_is_leased_until_the_answer_is_there) {
  House house("", nullptr, "", "allow_detached: true");
  auto client = begin_stream(house);
  leave(house, client);
  auto next =
      std::async(std::launch::async, [&house] { return house.chat("ben", story("ben", 20)); });
  EXPECT_TRUE(eventually([&] { return house.waiting() == 1; }));
  EXPECT_FALSE(lease_is_free(house));
  house.sim->hold(Hold::nowhere);
  EXPECT_EQ(next.get().status, 200);
  EXPECT_EQ(house.sim->book().completions_finished, 2U);
  EXPECT_EQ(house.sim->book().completions_cancelled, 0U);
  EXPECT_EQ(house.sim->book().most_parked, 0U);
  EXPECT_EQ(house.log.count("event=save"), 1U) << "what it left is anna's";
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
}

TEST(Detached, it_ends_with_slotswap) {
  House house("", nullptr, "", "allow_detached: true");
  auto client = begin_stream(house);
  leave(house, client);
  EXPECT_FALSE(lease_is_free(house));
  house.proxy->stop();
  EXPECT_EQ(house.log.count("say=stopped"), 1U);
}

}  // namespace
}  // namespace slotswap::test
