// Many models behind a router that holds two: every session finds what it had read, whichever model
// had to make room.
#include "real/router_house.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace slotswap::test {
namespace {

// A session of a model.
struct Pair {
  std::string model;
  std::string session;
  Talk talk = {};
  std::int64_t prompt = 0;  // tokens of its last one
};

std::vector<Pair> pairs() {
  std::vector<Pair> all;
  for (auto const* model : {"a", "b", "c"}) {
    for (auto const* session : {"anna", "ben"}) all.push_back({model, session});
  }
  return all;
}

TEST(RealRouter, sixty_turns_of_six_sessions_in_three_models_read_only_what_is_new) {
  SLOTSWAP_NEED_REAL_SERVER();
  RouterHouse house;
  auto all = pairs();
  std::mt19937 random(4);
  std::int64_t read_again = 0;
  for (int turn = 0; turn < 60; ++turn) {
    auto& pair = all[random() % all.size()];
    auto const first = pair.talk.empty();
    pair.talk.push_back({"user", first ? own_text(pair.model, pair.session) : story("more", 3)});
    auto const reply = house.chat(pair.model, pair.session, pair.talk);
    ASSERT_EQ(reply.status, 200) << reply.body;
    pair.talk.push_back({"assistant", reply.text});
    if (!first) {
      // The last tokens of a prompt may be others when text follows.
      EXPECT_GE(reply.reused, pair.prompt - 2)
          << "turn " << turn << ", " << pair.session << " in " << pair.model;
      read_again += reply.read;
    }
    pair.prompt = reply.reused + reply.read;
  }
  EXPECT_EQ(house.router.evictions(), 0U) << house.router.changes();
  EXPECT_GT(house.router.unloads(), 10U);
  EXPECT_GT(house.proxy->count({"event=restore ", "result=ok"}), 10U);
  EXPECT_EQ(house.proxy->count({"level=warning"}), 0U) << house.proxy->log();
  EXPECT_GT(house.expect_own_tokens({"anna", "ben"}), 3U);
  RecordProperty("read_again", static_cast<int>(read_again));
  RecordProperty("unloads", static_cast<int>(house.router.unloads()));
}

// Fills the router with a and b; a is the next to go.
void fill(RouterHouse& house) {
  for (auto const* model : {"a", "b"}) {
    auto const reply = house.chat(model, "anna");
    ASSERT_EQ(reply.status, 200) << reply.body;
  }
}

TEST(RealRouter, what_only_counts_tokens_makes_room_without_a_loss) {
  SLOTSWAP_NEED_REAL_SERVER();
  RouterHouse house;
  fill(house);
  EXPECT_EQ(house.post("/tokenize", R"({"model":"c","content":"hello"})").status, 200);
  EXPECT_TRUE(house.saved("a", "anna"));
  EXPECT_EQ(house.router.loaded(), (std::vector<std::string>{"b", "c"}));
  house.expect_kept("a", "anna");
  house.expect_kept("b", "anna");
  EXPECT_EQ(house.router.evictions(), 0U) << house.router.changes();
}

TEST(RealRouter, a_question_that_loads_a_model_makes_room_without_a_loss) {
  SLOTSWAP_NEED_REAL_SERVER();
  RouterHouse house;
  fill(house);
  EXPECT_EQ(house.get("/props?model=c").status, 200);
  EXPECT_TRUE(house.saved("a", "anna"));
  EXPECT_EQ(house.get("/props?model=a&autoload=false").status, 400);
  EXPECT_EQ(house.router.loaded(), (std::vector<std::string>{"b", "c"})) << "it loads nothing";
  house.expect_kept("a", "anna");
  house.expect_kept("b", "anna");
  EXPECT_EQ(house.router.evictions(), 0U) << house.router.changes();
}

TEST(RealRouter, an_alias_and_its_model_share_one_state) {
  SLOTSWAP_NEED_REAL_SERVER();
  RouterHouseOptions options;
  options.router.sections["b"] = "alias = bee\n";
  RouterHouse house(options);
  auto const talk = user_says(own_text("b", "anna"));
  EXPECT_EQ(house.chat("bee", "anna", talk).status, 200);
  house.expect_kept("b", "anna");
  EXPECT_EQ(house.proxy->count({"event=save "}), 0U);
  EXPECT_EQ(house.chat("bee", "ben", user_says(own_text("b", "ben"))).status, 200);
  EXPECT_TRUE(house.saved("b", "anna"));
  house.expect_kept("b", "anna");
  EXPECT_LE(house.chat("bee", "ben", user_says(own_text("b", "ben"))).read, 1);
  EXPECT_EQ(states_in(house.router.folder()).size(), 2U);
  EXPECT_EQ(house.expect_own_tokens({"anna", "ben"}), 2U);
}

TEST(RealRouter, two_requests_for_two_absent_models_at_once_lose_nothing) {
  SLOTSWAP_NEED_REAL_SERVER();
  RouterHouseOptions options;
  options.router.models = {"a", "b", "c", "d"};
  RouterHouse house(options);
  auto const both = [&](std::string const& one, std::string const& other) {
    std::vector<Reply> replies(2);
    auto const ask = [&](Reply& reply, std::string const& model) {
      reply = chat(house.proxy->port(), "anna", user_says(own_text(model, "anna")),
                   model_member(model));
    };
    {
      std::jthread const first([&] { ask(replies[0], one); });
      std::jthread const second([&] { ask(replies[1], other); });
    }
    EXPECT_EQ(replies[0].status, 200) << replies[0].body;
    EXPECT_EQ(replies[1].status, 200) << replies[1].body;
    return std::max(replies[0].read, replies[1].read);
  };
  both("a", "b");
  both("c", "d");
  for (int round = 0; round < 3; ++round) {
    EXPECT_LE(both("a", "b"), 1) << house.proxy->log();
    EXPECT_LE(both("d", "c"), 1) << house.proxy->log();
  }
  EXPECT_EQ(house.router.evictions(), 0U) << house.router.changes();
  EXPECT_EQ(house.expect_own_tokens({"anna"}), 4U);
}

TEST(RealRouter, a_model_that_cannot_be_loaded_gives_the_servers_own_error) {
  SLOTSWAP_NEED_REAL_SERVER();
  RouterHouse house;
  std::ofstream(house.router.model_file("c")) << "no model";
  fill(house);
  auto const refused = house.chat("c", "anna");
  EXPECT_GE(refused.status, 500) << refused.body;
  EXPECT_NE(refused.body.find("failed to load"), std::string::npos) << refused.body;
  house.expect_kept("a", "anna");
  house.expect_kept("b", "anna");
}

TEST(RealRouter, the_end_of_the_proxy_saves_every_model_that_is_loaded) {
  SLOTSWAP_NEED_REAL_SERVER();
  RouterHouse house;
  fill(house);
  EXPECT_EQ(house.stop_proxy(), 0);
  EXPECT_TRUE(house.saved("a", "anna")) << house.proxy->log();
  EXPECT_TRUE(house.saved("b", "anna"));
  EXPECT_EQ(house.router.loaded(), (std::vector<std::string>{"a", "b"}));
  house.start_proxy();
  EXPECT_EQ(house.chat("c", "anna").status, 200);
  house.expect_kept("a", "anna");
  house.expect_kept("b", "anna");
  EXPECT_EQ(house.router.evictions(), 0U) << house.router.changes();
}

TEST(RealRouter, with_unload_never_the_router_decides_and_only_idle_saves_are_restored) {
  SLOTSWAP_NEED_REAL_SERVER();
  RouterHouseOptions options;
  options.slots = "unload: never, save_idle_seconds: 0.2";
  RouterHouse house(options);
  fill(house);
  EXPECT_TRUE(eventually([&] { return house.saved("a", "anna") && house.saved("b", "anna"); }));
  EXPECT_EQ(house.chat("c", "anna").status, 200);
  EXPECT_EQ(house.router.unloads(), 0U) << house.proxy->log() << house.router.changes();
  EXPECT_EQ(house.router.evictions(), 1U);
  house.expect_kept("a", "anna");
  house.expect_kept("b", "anna");
  EXPECT_EQ(house.router.unloads(), 0U);
}

}  // namespace
}  // namespace slotswap::test
