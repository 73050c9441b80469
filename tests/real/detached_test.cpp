// X-Conversation-Id, with which llama-server goes on with a stream after its client has left.
#include "real/house.hpp"
#include "real/seen.hpp"

#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>

#include <string>

namespace slotswap::test {
namespace {

constexpr int answer_tokens = 400;
constexpr auto answer = R"("stream":true,"ignore_eos":true,"max_tokens":400,)";

std::string of(std::string const& name) {
  return "session=" + session::state_id(name);
}

// The tokens that were saved of anna's, who left in her answer, when ben came.
double saved_after_leaving(RealHouse& house) {
  auto headers = kept("anna");
  headers.emplace_back("X-Conversation-Id", "one");
  RawClient anna(house.proxy->port(), Milliseconds{60'000});
  anna.send(make_request("POST", "/v1/chat/completions", headers,
                         chat_body(user_says(story("anna", 20)), answer)));
  anna.read_until("data: ");
  anna.close();
  EXPECT_TRUE(house.proxy->said({"event=request ", of("anna"), "code=client_gone"}));
  EXPECT_EQ(house.chat("ben", story("ben", 20)).status, 200);
  EXPECT_EQ(parked(house.server), 0U);
  auto const saves = house.proxy->lines({"event=save ", of("anna"), "result=ok"});
  EXPECT_EQ(saves.size(), 1U) << house.proxy->log();
  return saves.empty() ? -1 : number_in(saves.front(), "tokens");
}

TEST(RealDetached, with_leave_another_session_waits_for_the_whole_answer) {
  SLOTSWAP_NEED_REAL_SERVER();
  auto options = talkative("mid");
  options.route = "allow_detached: true";
  RealHouse house(options);
  EXPECT_GT(saved_after_leaving(house), answer_tokens);
  EXPECT_EQ(closed_early(house.server), 0U);
}

TEST(RealDetached, without_leave_the_server_stops) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house(talkative("mid"));
  EXPECT_LT(saved_after_leaving(house), answer_tokens);
  EXPECT_EQ(closed_early(house.server), 1U);
  EXPECT_EQ(house.proxy->count({"X-Conversation-Id is not forwarded"}), 1U);
}

}  // namespace
}  // namespace slotswap::test
