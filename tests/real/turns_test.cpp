// Sessions in turn: the tokens that are read again, counted by the server itself.
#include "real/house.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>

namespace slotswap::test {
namespace {

constexpr std::array<char const*, 3> names{"anna", "ben", "carl"};
constexpr int turns = 4;

using Ask = std::function<Reply(std::size_t session, Talk const&)>;

// Three sessions in turn, each talk a message and an answer longer each time. The tokens read after
// the first turn.
std::int64_t tokens_read_again(Ask const& ask) {
  std::map<std::size_t, Talk> talks;
  std::int64_t read = 0;
  for (int turn = 0; turn < turns; ++turn) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      auto& talk = talks[i];
      auto const words = turn == 0 ? 70 : 2;
      talk.push_back({"user", story(names[i] + std::string(turn == 0 ? "" : "again"), words)});
      auto const reply = ask(i, talk);
      EXPECT_EQ(reply.status, 200) << reply.body;
      talk.push_back({"assistant", reply.text});
      if (turn > 0) read += reply.read;
    }
  }
  return read;
}

TEST(RealTurns, three_sessions_read_as_few_tokens_as_with_four_slots) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouseOptions options;
  options.server.model = "mid";
  std::int64_t swapped = 0;
  {
    RealHouse house(options);
    swapped = tokens_read_again(
        [&](std::size_t i, Talk const& talk) { return house.chat(names[i], talk); });
    EXPECT_EQ(house.proxy->count({"event=restore ", "result=ok"}), 9U);
  }
  auto const straight = [&](int slots) {
    options.server.slots = slots;
    RealServer server(options.server);
    return tokens_read_again([&](std::size_t i, Talk const& talk) {
      auto const pin = slots == 1 ? "" : "\"id_slot\":" + std::to_string(i) + ",";
      return chat(server.port(), "", talk, pin);
    });
  };
  auto const four_slots = straight(4);
  EXPECT_NEAR(static_cast<double>(swapped), static_cast<double>(four_slots),
              static_cast<double>(four_slots) / 100);
  auto const one_slot = straight(1);
  EXPECT_GT(one_slot, 5 * swapped);
  RecordProperty("read_through_slotswap", static_cast<int>(swapped));
  RecordProperty("read_with_four_slots", static_cast<int>(four_slots));
  RecordProperty("read_with_one_slot", static_cast<int>(one_slot));
}

Talk with_shared_system(std::string const& name) {
  return {{"system", story("shared", 300)}, {"user", story(name, 40)}};
}

TEST(RealTurns, a_common_system_prompt_is_not_read_again_where_a_miss_keeps_the_slot) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house;
  auto const first = house.chat("anna", with_shared_system("anna"));
  EXPECT_EQ(first.reused, 0);
  auto const second = house.chat("ben", with_shared_system("ben"));
  EXPECT_GT(second.reused, first.read * 3 / 4);
  EXPECT_LT(second.read, first.read / 4);
}

TEST(RealTurns, a_common_system_prompt_is_read_again_where_a_miss_erases_the_slot) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouseOptions options;
  options.slots = "on_miss: erase";
  RealHouse house(options);
  house.chat("anna", with_shared_system("anna"));
  EXPECT_EQ(house.chat("ben", with_shared_system("ben")).reused, 0);
}

// Without the checkpoints in the file a window of 128 tokens could not be taken up again in the
// middle.
TEST(RealTurns, a_sliding_window_model_reuses_what_was_restored) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouseOptions options;
  options.server.model = "swa";
  RealHouse house(options);
  auto const talk = [](std::string const& name, std::string const& last) {
    return Talk{{"user", story(name, 150)}, {"assistant", "well"}, {"user", story(last, 10)}};
  };
  auto const first = house.chat("anna", talk("anna", "early"));
  EXPECT_EQ(house.chat("ben", talk("ben", "early")).status, 200);
  auto const again = house.chat("anna", talk("anna", "late"));
  EXPECT_EQ(house.proxy->count({"event=restore ", "result=ok"}), 1U);
  EXPECT_GT(again.reused, first.read / 2);
}

}  // namespace
}  // namespace slotswap::test
