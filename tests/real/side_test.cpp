// A title between two turns of a story: what it costs the story, counted by the server itself.
#include "real/house.hpp"

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

Reply ask_for_title(RealHouse& house) {
  Headers const headers{{"X-Session-ID", "anna"}, {"X-Task", "title_generation"}};
  auto const task = user_says("Find a title of four words for this: " + story("talk", 30));
  return to_reply(house.post("/v1/chat/completions", headers, chat_body(task)));
}

// Tokens of the story's next turn that were read.
std::int64_t read_after_title(std::string const& work) {
  RealHouseOptions options;
  options.route = "side_requests: [{match: {header: {X-Task: 'title*'}}, do: " + work + "}]";
  RealHouse house(options);
  Talk talk = user_says(story("anna", 200));
  auto const first = house.chat("anna", talk);
  EXPECT_GT(first.read, 500);
  EXPECT_EQ(ask_for_title(house).status, 200);
  talk.push_back({"assistant", first.text});
  talk.push_back({"user", "go on"});
  auto const next = house.chat("anna", talk);
  EXPECT_EQ(next.status, 200) << next.body;
  return next.read;
}

TEST(RealSide, after_an_isolated_title_the_story_reads_only_what_is_new) {
  SLOTSWAP_NEED_REAL_SERVER();
  EXPECT_LT(read_after_title("isolate"), 50);
}

TEST(RealSide, after_a_title_like_any_turn_the_story_is_read_again) {
  SLOTSWAP_NEED_REAL_SERVER();
  EXPECT_GT(read_after_title("normal"), 500);
}

TEST(RealSide, a_small_session_that_asks_once_is_not_written) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house;
  Headers const small{{"X-Session-ID", "ben"}};
  house.chat("anna", story("anna", 100));
  house.post("/v1/chat/completions", small, chat_body(user_says("how are you")));
  EXPECT_LE(house.chat("anna", story("anna", 100)).read, 1);
  EXPECT_EQ(house.proxy->count({"event=request ", "policy=small", "swapped=save"}), 1U);
  EXPECT_EQ(house.stop_proxy(), 0);
  EXPECT_EQ(house.expect_own_tokens({"anna", "ben"}, 100), 1U);
  EXPECT_EQ(states_in(house.folder()).size(), 1U);
}

}  // namespace
}  // namespace slotswap::test
