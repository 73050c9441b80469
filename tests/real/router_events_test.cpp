// What happens to a router's models behind our back, and by our clients' own orders: a session that
// was saved is restored at its next request.
#include "real/router_house.hpp"

#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <utility>
#include <vector>

namespace slotswap::test {
namespace {

RouterHouseOptions with(std::string slots, std::string section_of_a = "") {
  RouterHouseOptions options;
  options.slots = std::move(slots);
  if (!section_of_a.empty()) options.router.sections["a"] = std::move(section_of_a);
  return options;
}

// Of model a: anna is saved, as ben came after; ben is in the slot alone.
void anna_then_ben(RouterHouse& house) {
  for (auto const* session : {"anna", "ben"}) {
    auto const reply = house.chat("a", session);
    ASSERT_EQ(reply.status, 200) << reply.body;
  }
  EXPECT_TRUE(eventually([&] { return house.saved("a", "anna"); }));
  EXPECT_FALSE(house.saved("a", "ben"));
}

// What was in a's slot alone is lost: read again, and nothing else is taken for it.
void expect_ben_lost(RouterHouse& house) {
  EXPECT_FALSE(house.saved("a", "ben"));
  auto const again = house.chat("a", "ben");
  EXPECT_EQ(again.status, 200) << again.body;
  EXPECT_GT(again.read, 100);
  house.expect_kept("a", "anna");
  house.expect_kept("a", "ben");
  EXPECT_EQ(house.expect_own_tokens({"anna", "ben"}), 2U);
}

TEST(RealRouterEvents, an_unload_by_a_client_of_ours_saves_first) {
  SLOTSWAP_NEED_REAL_SERVER();
  RouterHouse house;
  EXPECT_EQ(house.chat("a", "anna").status, 200);
  EXPECT_EQ(house.post("/models/unload", R"({"model":"a"})").status, 200);
  EXPECT_TRUE(house.router.becomes("a", "unloaded"));
  EXPECT_TRUE(house.saved("a", "anna"));
  house.expect_kept("a", "anna");
  EXPECT_EQ(house.proxy->count({"event=restore ", "result=ok"}), 1U) << house.proxy->log();
}

TEST(RealRouterEvents, a_load_by_a_client_of_ours_makes_room_without_a_loss) {
  SLOTSWAP_NEED_REAL_SERVER();
  RouterHouse house;
  EXPECT_EQ(house.chat("a", "anna").status, 200);
  EXPECT_EQ(house.chat("b", "anna").status, 200);
  EXPECT_EQ(house.post("/models/load", R"({"model":"c"})").status, 200);
  EXPECT_TRUE(house.router.becomes("c", "loaded"));
  EXPECT_TRUE(house.saved("a", "anna"));
  house.expect_kept("a", "anna");
  house.expect_kept("b", "anna");
  EXPECT_EQ(house.router.evictions(), 0U) << house.router.changes();
}

TEST(RealRouterEvents, an_unload_beside_the_proxy_costs_what_was_not_saved_and_no_more) {
  SLOTSWAP_NEED_REAL_SERVER();
  RouterHouse house;
  anna_then_ben(house);
  EXPECT_EQ(house.router.post("/models/unload", R"({"model":"a"})").status, 200);
  EXPECT_TRUE(house.router.becomes("a", "unloaded"));
  house.expect_kept("a", "anna");
  expect_ben_lost(house);
}

TEST(RealRouterEvents,
     a_model_unloaded_and_loaded_again_beside_the_proxy_is_not_taken_for_the_old) {
  SLOTSWAP_NEED_REAL_SERVER();
  RouterHouse house;
  anna_then_ben(house);
  EXPECT_EQ(house.router.post("/models/unload", R"({"model":"a"})").status, 200);
  EXPECT_TRUE(house.router.becomes("a", "unloaded"));
  EXPECT_EQ(house.router.chat("a", "somebody else").status, 200);
  house.expect_kept("a", "anna");
  expect_ben_lost(house);
}

TEST(RealRouterEvents, a_child_killed_while_idle_costs_what_was_not_saved_and_no_more) {
  SLOTSWAP_NEED_REAL_SERVER();
  RouterHouse house;
  anna_then_ben(house);
  house.router.kill_child("a");
  // At once: the router may not have seen it yet.
  house.expect_kept("a", "anna");
  expect_ben_lost(house);
}

TEST(RealRouterEvents, a_child_killed_in_a_stream_ends_it_with_the_routers_words) {
  SLOTSWAP_NEED_REAL_SERVER();
  RouterHouse house;
  anna_then_ben(house);
  auto const child = house.router.child("a");
  RawClient client(house.proxy->port(), Milliseconds{60'000});
  auto const body = chat_body(user_says(own_text("a", "ben")),
                              model_member("a") + R"("stream":true,"max_tokens":6000,)");
  auto headers = kept("ben");
  headers.emplace_back("Connection", "close");
  client.send(make_request("POST", "/v1/chat/completions", headers, body));
  client.read_until("data: ");
  EXPECT_EQ(::kill(child, SIGKILL), 0);
  auto const rest = client.read_to_end();
  EXPECT_NE(rest.find("proxy error: Failed to read connection"), std::string::npos);
  EXPECT_EQ(rest.find("[DONE]"), std::string::npos);
  EXPECT_TRUE(rest.ends_with("\r\n0\r\n\r\n")) << "the bytes pass unchanged";
  EXPECT_TRUE(house.proxy->said({"event=request ", "code=upstream_broken"})) << house.proxy->log();

  house.expect_kept("a", "anna");
  expect_ben_lost(house);
}

TEST(RealRouterEvents, a_sleeper_is_saved_before_it_sleeps_and_left_asleep) {
  SLOTSWAP_NEED_REAL_SERVER();
  RouterHouse house(with("save_idle_seconds: 0.3", "sleep-idle-seconds = 1\n"));
  EXPECT_EQ(house.chat("a", "anna").status, 200);
  ASSERT_TRUE(eventually([&] { return house.saved("a", "anna"); }));
  ASSERT_TRUE(house.router.becomes("a", "sleeping"));
  EXPECT_EQ(house.chat("b", "anna").status, 200);
  house.get("/models");
  house.get("/props?model=a&autoload=false");
  EXPECT_FALSE(
      eventually([&] { return house.router.status("a") != "sleeping"; }, Milliseconds{3'000}));
  house.expect_kept("a", "anna");
  EXPECT_EQ(house.proxy->count({"event=save ", "file=a-"}), 1U);
  EXPECT_EQ(house.expect_own_tokens({"anna"}), 2U);
}

TEST(RealRouterEvents, a_sleeper_makes_room_without_being_woken) {
  SLOTSWAP_NEED_REAL_SERVER();
  RouterHouse house(with("save_idle_seconds: 0.3", "sleep-idle-seconds = 1\n"));
  EXPECT_EQ(house.chat("a", "anna").status, 200);
  ASSERT_TRUE(eventually([&] { return house.saved("a", "anna"); }));
  EXPECT_EQ(house.chat("b", "anna").status, 200);
  ASSERT_TRUE(house.router.becomes("a", "sleeping"));
  EXPECT_EQ(house.chat("c", "anna").status, 200);
  EXPECT_EQ(house.router.status("a"), "unloaded");
  EXPECT_EQ(house.proxy->count({"event=save ", "file=a-"}), 1U);
  house.expect_kept("a", "anna");
  EXPECT_EQ(house.router.evictions(), 0U) << house.router.changes();
}

TEST(RealRouterEvents, a_sleep_that_comes_before_the_idle_save_is_warned_of_once) {
  SLOTSWAP_NEED_REAL_SERVER();
  RouterHouse house(with("save_idle_seconds: 30", "sleep-idle-seconds = 1\n"));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(house.chat("a", "anna").status, 200);
    ASSERT_TRUE(house.router.becomes("a", "sleeping"));
  }
  EXPECT_EQ(house.proxy->count({"level=warning", "save_idle_seconds"}), 1U) << house.proxy->log();
  EXPECT_EQ(house.proxy->count({"event=save "}), 0U);
}

TEST(RealRouterEvents, a_reload_with_another_context_keeps_what_was_saved) {
  SLOTSWAP_NEED_REAL_SERVER();
  RouterHouse house;
  anna_then_ben(house);
  house.router.change_section("a", "ctx-size = 4096\n");
  EXPECT_EQ(house.router.get("/models?reload=1").status, 200);
  EXPECT_TRUE(house.router.becomes("a", "unloaded"));
  house.expect_kept("a", "anna");
  expect_ben_lost(house);
}

TEST(RealRouterEvents, a_client_beside_the_proxy_takes_a_models_place_and_no_saved_session) {
  SLOTSWAP_NEED_REAL_SERVER();
  RouterHouse house(with("save_idle_seconds: 0.2"));
  std::vector<std::string> const models{"a", "b"};
  for (auto const& model : models) EXPECT_EQ(house.chat(model, "anna").status, 200);
  EXPECT_TRUE(eventually([&] { return house.saved("a", "anna") && house.saved("b", "anna"); }));
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(house.router.chat("c", "somebody else").status, 200);
    for (auto const& model : models) house.expect_kept(model, "anna");
  }
  EXPECT_EQ(house.chat("c", "anna").status, 200);
  EXPECT_GE(house.expect_own_tokens({"anna"}), 2U);
}

}  // namespace
}  // namespace slotswap::test
