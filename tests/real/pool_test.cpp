// A real llama-server with several slots behind slotswap.
#include "real/house.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace slotswap::test {
namespace {

RealHouseOptions four_slots() {
  RealHouseOptions options;
  options.server.slots = 4;
  options.server.context = 4 * 8192;
  options.slots = "ids: [0, 1, 2, 3]";
  return options;
}

constexpr std::array four = {"anna", "ben", "carl", "dora"};

TEST(RealPool, four_sessions_keep_a_slot_each_and_a_fifth_costs_one_of_them_nothing_but_a_swap) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house(four_slots());
  for (auto const* session : four) house.chat(session, story(session, 300));
  for (auto const* session : four) EXPECT_GE(house.chat(session, story(session, 310)).reused, 290);
  EXPECT_FALSE(house.proxy->said({"event=save "})) << "there was a slot for each";
  house.chat("emil", story("emil", 300));
  EXPECT_TRUE(house.proxy->said({"event=save ", "result=ok"}));
  for (auto const* session : four)
    EXPECT_GE(house.chat(session, story(session, 320)).reused, 300) << session;
}

TEST(RealPool, messages_and_two_choices_take_all_slots_and_no_session_loses_its_cache) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house(four_slots());
  auto words = 300;
  for (auto const* session : four) house.chat(session, story(session, words));
  auto const keep_all = [&] {
    words += 10;
    for (auto const* session : four)
      EXPECT_GE(house.chat(session, story(session, words)).reused, words - 20) << session;
  };
  auto const body = chat_body(user_says(story("other", 100)));
  EXPECT_EQ(house.post("/v1/messages", {{"X-Session-ID", "fritz"}}, body).status, 200);
  keep_all();
  auto const two = chat_body(user_says(story("twice", 100)), R"("n":2,)");
  EXPECT_EQ(house.post("/v1/chat/completions", {{"X-Session-ID", "gina"}}, two).status, 200);
  keep_all();
  EXPECT_TRUE(house.proxy->said({"event=skip ", "it cannot be kept in one of several slots"}));
}

}  // namespace
}  // namespace slotswap::test
