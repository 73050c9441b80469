// What a client sees of its waiting: in the head of its answer, and in a stream before it.
#include "real/house.hpp"

#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>

#include <utility>

namespace slotswap::test {
namespace {

TEST(RealWaiting, an_answers_head_says_what_its_session_found) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house;
  std::pair<char const*, char const*> const turns[] = {
      {"anna", "cold"}, {"anna", "resident"}, {"ben", "kept"}, {"anna", "restored"}};
  for (auto const& [session, found] : turns) {
    auto const answer = house.post("/v1/chat/completions", {{"X-Session-ID", session}},
                                   chat_body(user_says(story(session, 50))));
    EXPECT_EQ(answer.header("x-slotswap-slot"), found) << session;
    EXPECT_EQ(answer.header("x-slotswap-session"), session::state_id(session).substr(0, 8));
    EXPECT_EQ(answer.count("server-timing"), 1U);
  }
}

TEST(RealWaiting, a_stream_behind_anothers_answer_gets_comments_and_is_whole) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouseOptions options;
  options.route = "heartbeat_seconds: 0.05";
  RealHouse house(options);
  LeavingClient owner(house, "anna", user_says(story("anna", 20)),
                      R"("stream":true,"max_tokens":12000,)");
  owner.wait_for_first_event();
  RawClient client(house.proxy->port(), Milliseconds{60'000});
  client.send(make_request("POST", "/v1/chat/completions", {{"X-Session-ID", "ben"}},
                           chat_body(user_says(story("ben", 20)),
                                     R"("stream":true,"max_tokens":8,"ignore_eos":true,)")));
  auto answer = read_head(client);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("content-type"), "text/event-stream");
  client.read_until(":\n\r\n2\r\n:\n\r\n");
  owner.leave();
  read_body(client, answer);
  EXPECT_TRUE(answer.complete);
  answer.body.erase(0, answer.body.find_first_not_of(":\n"));
  EXPECT_TRUE(answer.body.ends_with("data: [DONE]\n\n")) << answer.body;
  EXPECT_NE(answer.body.find(R"("predicted_n":8)"), std::string::npos) << answer.body;
  auto const reply = to_reply(answer);
  EXPECT_FALSE(reply.text.empty()) << answer.body;
  EXPECT_GT(reply.read, 0);
  EXPECT_TRUE(house.proxy->said({"event=request ", "status=200", " heartbeats="}));
}

}  // namespace
}  // namespace slotswap::test
