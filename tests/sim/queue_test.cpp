// Whose turn it is, seen through the proxy: sessions together, limits, time-outs, lingering.
#include "sim/house.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace slotswap::test {
namespace {

using llama_sim::Hold;

constexpr auto shut = "save_idle_seconds: 0";

class Line {
 public:
  explicit Line(std::string const& keys) : house(shut, nullptr, "defaults: {" + keys + "}\n") {
    house.sim->hold(Hold::answer);
  }
  RawClient send(std::string const& session, std::string const& key = "") {
    RawClient client(house.proxy->port());
    Headers headers{{"X-Session-ID", session}};
    if (!key.empty()) headers.emplace_back("Authorization", "Bearer " + key);
    client.send(
        make_request("POST", "/v1/chat/completions", headers, house.chat_body(story(session, 20))));
    return client;
  }
  // It runs, and keeps the slot until go().
  RawClient occupy(std::string const& session) {
    auto const before = house.sim->book().completions_started;
    auto client = send(session);
    EXPECT_TRUE(eventually([&] { return house.sim->book().completions_started == before + 1; }));
    return client;
  }
  RawClient wait(std::string const& session, std::string const& key = "") {
    auto const before = waiting();
    auto client = send(session, key);
    EXPECT_TRUE(eventually([&] { return waiting() == before + 1; }));
    return client;
  }
  std::size_t waiting() { return house.waiting(); }
  void go() { house.sim->hold(Hold::nowhere); }
  std::vector<std::string> order() {
    std::vector<std::string> sessions;
    for (auto const& call : house.sim->book().calls) {
      if (!call.session.empty()) sessions.push_back(call.session);
    }
    return sessions;
  }

  House house;
};

using Sessions = std::vector<std::string>;

TEST(QueueOrder, the_session_in_the_slot_goes_before_one_that_came_earlier) {
  Line line("linger_seconds: 0");
  auto first = line.occupy("anna");
  auto other = line.wait("ben");
  auto second = line.wait("anna");
  auto third = line.wait("anna");
  line.go();
  for (auto* client : {&first, &second, &third, &other})
    EXPECT_EQ(read_answer(*client).status, 200);
  EXPECT_EQ(line.order(), (Sessions{"anna", "anna", "anna", "ben"}));
}

TEST(QueueOrder, without_overtaking_it_is_the_order_of_arrival) {
  Line line("max_overtake_seconds: 0");
  auto first = line.occupy("anna");
  auto other = line.wait("ben");
  auto second = line.wait("anna");
  line.go();
  for (auto* client : {&first, &other, &second}) EXPECT_EQ(read_answer(*client).status, 200);
  EXPECT_EQ(line.order(), (Sessions{"anna", "ben", "anna"}));
}

TEST(QueueOrder, sessions_of_another_key_get_their_turn_before_a_keys_third) {
  Line line("linger_seconds: 0");
  auto first = line.occupy("anna");
  auto a = line.wait("ben", "x");
  auto b = line.wait("carl", "x");
  auto c = line.wait("dora", "y");
  line.go();
  for (auto* client : {&first, &a, &b, &c}) EXPECT_EQ(read_answer(*client).status, 200);
  EXPECT_EQ(line.order(), (Sessions{"anna", "ben", "dora", "carl"}));
}

TEST(QueueOrder, a_slot_waits_for_its_sessions_next_request_and_not_when_it_comes) {
  Line line("linger_seconds: 20");
  auto first = line.occupy("anna");
  auto other = line.wait("ben");
  line.go();
  EXPECT_EQ(read_answer(first).status, 200);
  auto second = line.send("anna");
  EXPECT_EQ(read_answer(second).status, 200);
  EXPECT_EQ(line.order(), (Sessions{"anna", "anna"}));
  EXPECT_EQ(line.waiting(), 1U);
  // The end of the house saves without waiting for the linger.
  other.close();
}

TEST(QueueLimits, one_too_many_is_refused_at_once) {
  Line line("max_queue: 1");
  auto first = line.occupy("anna");
  auto second = line.wait("ben");
  auto third = line.send("carl");
  auto const refused = read_answer(third);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.header("retry-after"), "1");
  EXPECT_NE(refused.body.find("queue_full"), std::string::npos);
  EXPECT_NE(refused.body.find("max_queue"), std::string::npos);
  EXPECT_EQ(request(line.house.proxy->port(), "GET", "/v1/models").status, 200);
  line.go();
  EXPECT_EQ(read_answer(first).status, 200);
  EXPECT_EQ(read_answer(second).status, 200);
  EXPECT_EQ(line.order(), (Sessions{"anna", "ben"}));
}

TEST(QueueLimits, one_clients_share_does_not_touch_anothers) {
  Line line("max_queue_per_key: 1");
  auto first = line.occupy("anna");
  auto mine = line.wait("ben", "x");
  auto more = line.send("carl", "x");
  EXPECT_EQ(read_answer(more).status, 429);
  auto yours = line.wait("dora", "y");
  line.go();
  for (auto* client : {&first, &mine, &yours}) EXPECT_EQ(read_answer(*client).status, 200);
}

TEST(QueueLimits, who_waited_too_long_gets_503_and_leaves_no_trace) {
  Line line("queue_timeout_seconds: 0.1");
  auto first = line.occupy("anna");
  auto second = line.send("ben");
  auto const late = read_answer(second);
  EXPECT_EQ(late.status, 503);
  EXPECT_NE(late.body.find("queue_timeout"), std::string::npos);
  EXPECT_EQ(line.waiting(), 0U);
  line.go();
  EXPECT_EQ(read_answer(first).status, 200) << "the one that runs does not wait";
  EXPECT_EQ(line.order(), (Sessions{"anna"}));
  EXPECT_TRUE(eventually([&] { return line.house.log.count("code=queue_timeout") == 1; }));
}

}  // namespace
}  // namespace slotswap::test
