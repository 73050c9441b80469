// 16 clients, 4 sessions, 100 requests, some of which their client gives up.
#include "real/house.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace slotswap::test {
namespace {

constexpr std::array<char const*, 4> names{"anna", "ben", "carl", "dora"};
constexpr int clients = 16;
constexpr int requests = 100;
constexpr int common_words = 60;

struct Plan {
  std::string name;
  int words = 0;
  bool stream = false;
  enum class Leave { never, at_once, in_the_answer } leave = Leave::never;
};

// The same each time.
std::vector<Plan> make_plans() {
  std::mt19937 random(20);
  auto const below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
  std::vector<Plan> plans;
  for (int i = 0; i < requests; ++i) {
    Plan plan;
    plan.name = names[static_cast<std::size_t>(below(names.size()))];
    plan.words = common_words + below(30);
    plan.stream = below(2) == 0;
    auto const chance = below(100);
    if (chance < 6) plan.leave = Plan::Leave::at_once;
    if (chance >= 90 && plan.stream) plan.leave = Plan::Leave::in_the_answer;
    plans.push_back(plan);
  }
  return plans;
}

// At this level the server says when it parks a slot call because its slot works.
RealServerOptions talkative() {
  RealServerOptions options;
  options.args = {"--log-verbosity", "5"};
  return options;
}

bool parked_a_slot_call(RealServer const& server) {
  return server.log().find("requested slot is unavailable") != std::string::npos;
}

std::string run(RealHouse const& house, Plan const& plan) {
  auto const talk = user_says(story(plan.name, plan.words));
  auto const stream = std::string(plan.stream ? R"("stream":true,)" : "");
  if (plan.leave == Plan::Leave::never) {
    auto const reply = chat(house.proxy->port(), plan.name, talk, stream);
    return reply.status == 200 && reply.complete && reply.read > 0 ? "" : reply.body + " failed";
  }
  LeavingClient client(house, plan.name, talk, stream + R"("max_tokens":200,)");
  if (plan.leave == Plan::Leave::in_the_answer) client.wait_for_first_event();
  client.leave();
  return "";
}

TEST(RealLoad, the_server_says_when_a_slot_call_comes_beside_a_request) {
  SLOTSWAP_NEED_REAL_SERVER();
  auto options = talkative();
  options.model = "mid";
  RealServer const server(options);
  RawClient client(server.port(), Milliseconds{60'000});
  client.send(
      make_request("POST", "/v1/chat/completions", {},
                   chat_body(user_says(story("anna", 100)), R"("stream":true,"max_tokens":500,)")));
  client.read_until("data: ");
  EXPECT_FALSE(parked_a_slot_call(server));
  request(server.port(), "POST", "/slots/0?action=erase");
  EXPECT_TRUE(parked_a_slot_call(server));
}

TEST(RealLoad, no_request_fails_and_no_state_holds_the_tokens_of_another_session) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouseOptions options;
  options.server = talkative();
  options.route = "max_overtake_seconds: 0";  // as many swaps as there can be
  RealHouse house(options);
  auto const plans = make_plans();
  std::vector<std::string> failed(plans.size());
  std::atomic<std::size_t> next{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < clients; ++i) {
      threads.emplace_back([&] {
        for (auto mine = next++; mine < plans.size(); mine = next++) {
          try {
            failed[mine] = run(house, plans[mine]);
          } catch (std::exception const& error) {
            failed[mine] = error.what();
          }
        }
      });
    }
  }
  for (std::size_t i = 0; i < plans.size(); ++i) EXPECT_EQ(failed[i], "") << "request " << i;
  EXPECT_TRUE(house.proxy->said({"event=request "}, requests));
  EXPECT_GT(house.proxy->count({"event=request ", "code=client_gone", "cut=true"}), 0U);
  EXPECT_EQ(house.stop_proxy(), 0);
  EXPECT_GT(house.proxy->count({"event=restore ", "result=ok"}), 10U);
  EXPECT_EQ(house.proxy->count({"level=warning"}), 0U) << house.proxy->log();
  EXPECT_FALSE(parked_a_slot_call(house.server));
  EXPECT_EQ(states_in(house.folder()).size(), names.size());
  EXPECT_EQ(house.expect_own_tokens({names.begin(), names.end()}, common_words), names.size());
}

}  // namespace
}  // namespace slotswap::test
