// What is managed, what leaves the slot alone, and servers that cannot be swapped.
#include "real/house.hpp"

#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

TEST(RealRelay, a_prompt_that_is_too_long_changes_nothing) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouseOptions options;
  options.server.context = 2048;
  RealHouse house(options);
  auto const anna = house.chat("anna", story("anna", 100));
  EXPECT_EQ(house.chat("ben", story("ben", 800)).status, 400);
  EXPECT_EQ(house.chat("carl", story("carl", 100)).status, 200);
  EXPECT_EQ(
      house.proxy->count({"event=save ", "session=" + session::state_id("anna"), "result=ok"}), 1U);
  EXPECT_EQ(house.proxy->count({"event=save ", "session=" + session::state_id("ben")}), 0U);
  auto const again = house.chat("anna", story("anna", 100));
  EXPECT_GE(again.reused, anna.read - 1);
  EXPECT_EQ(house.expect_own_tokens({"anna", "ben", "carl"}, 100), 2U);
}

TEST(RealRelay, an_encoded_path_is_managed_too) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house;
  house.chat("ben", story("ben", 50));
  auto const answer =
      house.post("/v1/chat/%63ompletions", kept("anna"), chat_body(user_says(story("anna", 50))));
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(house.proxy->count({"event=request ", "session=" + session::state_id("anna"),
                                "status=200", "swapped=save"}),
            1U);
  EXPECT_GT(house.chat("ben", story("ben", 50)).reused, 100);
  EXPECT_EQ(house.expect_own_tokens({"anna", "ben"}, 50), 2U);
}

TEST(RealRelay, embeddings_that_are_not_served_leave_the_slot_alone) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house;
  auto const first = house.chat("anna", story("anna", 100));
  EXPECT_EQ(house.post("/v1/embeddings", {{"X-Session-ID", "anna"}}, R"({"input":"x"})").status,
            501);
  EXPECT_GE(house.chat("anna", story("anna", 100)).reused, first.read - 1);
  // The end saves what is hers.
  EXPECT_EQ(house.stop_proxy(), 0);
  EXPECT_EQ(house.expect_own_tokens({"anna"}, 100), 1U);
  EXPECT_EQ(states_in(house.folder()).size(), 1U);
}

struct Unswappable {
  char const* name;
  int slots;
  bool can_save;
  char const* more;
  char const* flag;
};

class RealUnswappable : public ::testing::TestWithParam<Unswappable> {};

TEST_P(RealUnswappable, is_relayed_with_one_warning_that_names_the_flag) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouseOptions options;
  options.server.slots = GetParam().slots;
  options.server.can_save = GetParam().can_save;
  if (*GetParam().more != '\0') options.server.args = {GetParam().more};
  RealHouse house(options);
  for (auto const* name : {"anna", "ben", "anna"}) {
    EXPECT_EQ(house.chat(name, story(name, 20)).status, 200);
  }
  EXPECT_EQ(house.proxy->count({"level=warning", "event=server", GetParam().flag}), 1U);
  EXPECT_EQ(house.proxy->count({"level=warning"}), 1U) << house.proxy->log();
  EXPECT_EQ(house.proxy->count({"event=skip "}), 1U);
  EXPECT_EQ(house.proxy->count({"event=save "}), 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Servers, RealUnswappable,
    ::testing::Values(Unswappable{"four_slots", 4, true, "", "-np 1"},
                      Unswappable{"no_save_path", 1, false, "", "--slot-save-path"},
                      Unswappable{"no_slots", 1, true, "--no-slots", "--slots"}),
    [](auto const& server) { return std::string(server.param.name); });

}  // namespace
}  // namespace slotswap::test
