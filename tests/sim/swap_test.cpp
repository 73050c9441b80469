// Sessions in turn on one slot: who is saved, restored, erased, and what that saves.
#include "llama_sim/slot_file.hpp"
#include "sim/house.hpp"

#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

TEST(Swap, sessions_in_turn_each_find_their_own_cache_again) {
  House house;
  for (auto const* name : {"anna", "ben", "carl"}) {
    EXPECT_EQ(house.chat(name, story(name, 200)).status, 200);
  }
  for (int turn = 1; turn < 4; ++turn) {
    for (auto const* name : {"anna", "ben", "carl"}) {
      auto const reply = house.chat(name, story(name, 200 + turn));
      EXPECT_EQ(reply.status, 200);
      EXPECT_GE(reply.reused, 199) << name << " turn " << turn;
      EXPECT_LE(reply.read, 10) << name << " turn " << turn;
    }
  }
  EXPECT_EQ(house.sim->book().actions_beside_work, 0U);
  EXPECT_LE(house.sim->book().most_parked, 0U);
  std::size_t restored = 0;
  for (auto const& line : house.log.matching("event=restore")) {
    if (line.find("result=ok") != std::string::npos) ++restored;
  }
  EXPECT_EQ(restored, 9U);
}

TEST(Swap, the_same_session_again_needs_no_slot_call) {
  House house;
  house.chat("anna", story("anna", 50));
  auto const before = house.sim->book();
  house.chat("anna", story("anna", 51));
  auto const after = house.sim->book();
  EXPECT_EQ(after.count("POST", "/slots"), before.count("POST", "/slots"));
}

TEST(Swap, a_slot_of_unknown_content_is_erased_for_a_session_without_a_file) {
  House house;
  house.chat("anna", story("anna", 20));
  EXPECT_EQ(house.log.count("event=erase"), 1U);
}

TEST(Swap, on_miss_keep_leaves_what_two_sessions_share) {
  House house;
  house.chat("anna", story("shared", 300) + "anna");
  auto const reply = house.chat("ben", story("shared", 300) + "ben");
  EXPECT_GE(reply.reused, 300);
}

TEST(Swap, on_miss_erase_reads_everything) {
  House house("on_miss: erase");
  house.chat("anna", story("shared", 300) + "anna");
  auto const reply = house.chat("ben", story("shared", 300) + "ben");
  EXPECT_EQ(reply.reused, 0);
}

TEST(Swap, a_state_that_is_on_disk_already_is_not_written_again) {
  House house;
  house.chat("anna", story("anna", 50));
  house.chat("ben", story("ben", 50));
  ASSERT_EQ(house.chat("anna", std::string(20'000 * 9, 'x')).status,
            400);  // too long: nothing changes
  auto const saves = house.log.count("event=save");
  house.chat("ben", story("ben", 51));
  EXPECT_EQ(house.log.count("event=save"), saves);
}

TEST(Swap, a_refused_request_leaves_the_old_owner_in_the_slot) {
  House house;
  house.chat("anna", story("anna", 50));
  EXPECT_EQ(house.chat("ben", std::string(20'000 * 9, 'x')).status, 400);
  house.chat("carl", story("carl", 50));
  auto const reply = house.chat("anna", story("anna", 51));
  EXPECT_GE(reply.reused, 49);
}

TEST(Swap, a_file_holds_the_tokens_of_its_own_session) {
  House house;
  for (int turn = 0; turn < 3; ++turn) {
    for (auto const* name : {"anna", "ben", "carl"}) house.chat(name, story(name, 60 + turn));
  }
  house.proxy->stop();
  auto const tag = session::model_tag("sim");
  for (auto const* name : {"anna", "ben", "carl"}) {
    auto const begin = tag + "_" + session::state_id(name);
    int seen = 0;
    for (auto const& file : house.files(".bin")) {
      if (file.rfind(begin, 0) != 0) continue;
      ++seen;
      auto const held = llama_sim::read_slot_file((house.folder.path() / file).string()).tokens;
      auto const own = llama_sim::tokenize("<|user|>" + story(name, 60));
      EXPECT_GE(llama_sim::common_prefix(held, own), own.size() - 1) << file;
    }
    EXPECT_EQ(seen, 1) << name;
  }
}

TEST(Swap, a_restart_of_the_proxy_costs_nothing) {
  House house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  house.restart_proxy();
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
  EXPECT_GE(house.chat("ben", story("ben", 101)).reused, 99);
}

TEST(Swap, an_idle_session_is_saved_once) {
  House house("save_idle_seconds: 0.05");
  house.chat("anna", story("anna", 100));
  ASSERT_TRUE(eventually([&] { return house.log.count("event=save") == 1; }));
  // On disk already: the switch writes nothing.
  house.chat("ben", story("ben", 100));
  EXPECT_EQ(house.log.count("event=save server=main route=* session=" + session::state_id("anna")),
            1U);
}

TEST(Swap, another_client_that_used_the_slot_is_noticed) {
  House house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  // Beside the proxy.
  request(house.sim->port(), "POST", "/v1/chat/completions", {},
          house.chat_body(story("stranger", 80)));
  house.chat("anna", story("anna", 101));
  EXPECT_EQ(house.log.count("note=changed_behind_us"), 1U);
  for (auto const& file : house.files(".bin")) {
    auto const held = llama_sim::read_slot_file((house.folder.path() / file).string()).tokens;
    auto const strange = llama_sim::tokenize("<|user|>" + story("stranger", 80));
    EXPECT_LT(llama_sim::common_prefix(held, strange), 3U) << file;
  }
}

TEST(Swap, encoded_paths_take_the_lease_too) {
  House house;
  auto const answer = house.ask("/v1/chat/%63ompletions", {{"X-Session-ID", "anna"}},
                                house.chat_body(story("anna", 20)));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(house.log.count("session=" + session::state_id("anna") + " status=200"), 1U);
}

TEST(Swap, embeddings_and_bodies_that_are_no_json_run_as_the_anonymous_session) {
  House house;
  house.chat("anna", story("anna", 30));
  EXPECT_EQ(house.ask("/v1/embeddings", {{"X-Session-ID", "anna"}}, R"({"input":"x"})").status,
            501);
  EXPECT_EQ(
      house.ask("/v1/chat/completions", {{"X-Session-ID", "anna"}}, "{\"messages\": [").status,
      400);
  std::size_t anonymous = 0;
  for (auto const& line : house.log.matching("event=request")) {
    if (line.find("session=" + session::anonymous_id("*")) != std::string::npos) ++anonymous;
  }
  EXPECT_EQ(anonymous, 2U);
  EXPECT_GE(house.chat("anna", story("anna", 31)).reused, 29);
}

}  // namespace
}  // namespace slotswap::test
