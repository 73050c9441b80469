// A server with several slots: sessions side by side, and what cannot be told a slot.
#include "sim/house.hpp"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <vector>

namespace slotswap::test {
namespace {

using llama_sim::Fault;
using llama_sim::Hold;
using llama_sim::Options;

class PoolHouse : public House {
 public:
  explicit PoolHouse(int slots = 2, std::string const& ids = "[0, 1]",
                     std::string const& route = "", double pace = 0.02)
      : House(
            "ids: " + ids,
            [slots, pace](Options& options) {
              options.slots = slots;
              options.context = 8192 * slots;
              options.scale = pace;
            },
            "", route) {}
  std::string content(std::size_t place) {
    std::string text;
    proxy->on_loop([&] {
      text = slots::to_string(proxy->service().host("main")->keeper(place).slot().content);
    });
    return text;
  }
  std::string messages_body() const {
    return R"({"messages":[{"role":"user","content":")" + story("m", 30) + R"("}],"max_tokens":4})";
  }
};

TEST(SlotPool, as_many_sessions_as_slots_are_never_swapped) {
  PoolHouse house;
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_GE(house.chat("anna", story("anna", 100 + turn)).reused, turn == 0 ? 0 : 99);
    EXPECT_GE(house.chat("ben", story("ben", 100 + turn)).reused, turn == 0 ? 0 : 99);
  }
  for (auto const* slot : {"/slots/0", "/slots/1"}) {
    auto const action = slot + std::string("?action=");
    EXPECT_EQ(house.sim->book().count("POST", action + "save"), 0U);
    EXPECT_EQ(house.sim->book().count("POST", action + "restore"), 0U);
    EXPECT_LE(house.sim->book().count("POST", action + "erase"), 1U) << "of what a start found";
  }
}

TEST(SlotPool, one_more_session_takes_the_slot_used_longest_ago_and_nothing_is_lost) {
  PoolHouse house;
  house.chat("anna", story("anna", 100));
  ASSERT_TRUE(house.settled(0));
  house.chat("ben", story("ben", 100));
  ASSERT_TRUE(house.settled(1));
  house.chat("carl", story("carl", 100));
  EXPECT_EQ(house.log.count("event=save"), 1U);
  EXPECT_GE(house.chat("ben", story("ben", 101)).reused, 99) << "it stayed where it was";
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99) << "restored";
}

// In the other slot it would begin anew, as its state is not written yet.
TEST(SlotPool, a_session_that_is_being_saved_is_waited_for) {
  House house("ids: [0, 1]", [](Options& options) {
    options.slots = 2;
    options.context = 16'384;
    options.slot_call_tps = 10;  // a save takes long enough to come in between
  });
  house.chat("anna", story("anna", 100));
  ASSERT_TRUE(house.settled(0));
  house.chat("ben", story("ben", 100));
  ASSERT_TRUE(house.settled(1));
  auto carl =
      std::async(std::launch::async, [&house] { return house.chat("carl", story("carl", 20)); });
  auto const saves = [&](std::string const& slot) {
    return house.sim->book().count("POST", "/slots/" + slot + "?action=save");
  };
  ASSERT_TRUE(eventually([&] { return saves("0") == 1; }));
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
  EXPECT_EQ(carl.get().status, 200);
  EXPECT_EQ(saves("1"), 1U) << "ben's, for anna";
}

TEST(SlotPool, two_sessions_run_at_once_and_a_sessions_own_requests_do_not) {
  PoolHouse house;
  house.sim->hold(Hold::answer);
  auto const send = [&](std::string const& session) {
    return house.begin(session, story(session, 20));
  };
  auto first = send("anna");
  auto other = send("ben");
  ASSERT_TRUE(eventually([&] { return house.sim->book().completions_started == 2; }));
  auto second = send("anna");
  ASSERT_TRUE(eventually([&] { return house.waiting() == 1; }));
  EXPECT_EQ(house.sim->book().most_parked, 0U);
  house.sim->hold(Hold::nowhere);
  for (auto* client : {&first, &other, &second}) EXPECT_EQ(read_answer(*client).status, 200);
}

TEST(SlotPool, what_heeds_no_slot_gets_all_of_them_and_what_it_changed_is_unknown) {
  PoolHouse house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  ASSERT_TRUE(house.settled(0));
  ASSERT_TRUE(house.settled(1));
  auto const answer = house.ask("/v1/messages", {{"X-Session-ID", "dora"}}, house.messages_body());
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(house.log.count("event=save"), 2U) << "whatever it takes was saved before";
  // Each keeps its story: in its slot, or from its state.
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
  EXPECT_GE(house.chat("ben", story("ben", 101)).reused, 99);
}

TEST(SlotPool, a_request_that_another_slots_work_keeps_alive_is_waited_for_and_said) {
  // So slow to notice who left that the looks come first.
  PoolHouse house(2, "[0, 1]", "", 5);
  house.sim->hold(Hold::answer);
  auto const send = [&](std::string const& session) {
    return house.begin(session, story(session, 20));
  };
  auto ben = send("ben");
  auto anna = send("anna");
  ASSERT_TRUE(eventually([&] { return house.sim->book().completions_started == 2; }));
  anna.close();
  ASSERT_TRUE(eventually([&] { return house.log.count("code=client_gone") == 1; }));
  auto carl = send("carl");
  EXPECT_TRUE(eventually([&] { return house.log.count("state=kept_alive") == 1; }));
  EXPECT_EQ(house.sim->book().most_parked, 0U);
  house.sim->hold(Hold::nowhere);
  EXPECT_EQ(read_answer(carl).status, 200);
  EXPECT_EQ(read_answer(ben).status, 200);
  EXPECT_EQ(house.log.count("state=kept_alive"), 1U) << "once";
}

// Before anybody asks for that slot, and whoever changed it.
TEST(SlotPool, a_neighbour_that_was_changed_is_seen_at_the_next_answer) {
  PoolHouse house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  ASSERT_TRUE(house.settled(0));
  ASSERT_TRUE(house.settled(1));
  house.chat("ben", story("ben", 101));
  EXPECT_EQ(house.log.count("changed_behind_us"), 0U);
  auto const beside = request(house.sim->port(), "POST", "/v1/chat/completions", {},
                              house.chat_body(story("other", 20), R"("id_slot":0,)"));
  ASSERT_EQ(beside.status, 200);
  house.chat("ben", story("ben", 102));
  EXPECT_TRUE(eventually([&] { return house.content(0) == "unknown"; }));
  EXPECT_EQ(house.log.count("changed_behind_us"), 1U);
  house.chat("anna", story("anna", 101));
  EXPECT_EQ(house.log.count("slot=resident"), 2U) << "ben's two, not anna's";
}

TEST(SlotPool, it_waits_until_all_slots_are_free) {
  PoolHouse house;
  house.sim->hold(Hold::answer);
  RawClient first(house.proxy->port());
  first.send(make_request("POST", "/v1/chat/completions", {{"X-Session-ID", "anna"}},
                          house.chat_body(story("anna", 20))));
  ASSERT_TRUE(eventually([&] { return house.sim->book().completions_started == 1; }));
  RawClient whole(house.proxy->port());
  whole.send(make_request("POST", "/v1/messages", {}, house.messages_body()));
  EXPECT_EQ(house.sim->book().count("POST", "/v1/messages"), 0U);
  house.sim->hold(Hold::nowhere);
  EXPECT_EQ(read_answer(first).status, 200);
  EXPECT_EQ(read_answer(whole).status, 200);
  EXPECT_EQ(house.sim->book().actions_beside_work, 0U);
}

// Ben was there last: by use alone it would get anna's slot.
TEST(SlotPool, a_title_that_goes_elsewhere_leaves_its_sessions_slot_alone) {
  for (std::string const work : {"isolate", "elsewhere"}) {
    PoolHouse house(2, "[0, 1]",
                    "side_requests: [{match: {header: {X-Task: title}}, do: " + work + "}]");
    house.chat("anna", story("anna", 100));
    ASSERT_TRUE(house.settled(0));
    house.chat("ben", story("ben", 100));
    ASSERT_TRUE(house.settled(1));
    Headers const title{{"X-Session-ID", "anna"}, {"X-Task", "title"}};
    EXPECT_EQ(house.ask("/v1/chat/completions", title, house.chat_body("a title")).status, 200);
    EXPECT_EQ(house.log.count("policy=" + work), 1U);
    house.chat("anna", story("anna", 101));
    EXPECT_EQ(house.log.count("slot=resident"), work == "elsewhere" ? 1U : 0U);
  }
}

TEST(SlotPool, a_request_is_stuck_when_its_own_slot_stands_idle) {
  PoolHouse house(2, "[0, 1]", "stuck_seconds: 0.12");
  house.sim->hold(Hold::prefill);
  auto const send = [&](std::string const& session) {
    return house.begin(session, story(session, 20));
  };
  auto anna = send("anna");
  ASSERT_TRUE(eventually([&] { return house.sim->book().completions_started == 1; }));
  house.sim->order(Fault::swallow);
  auto ben = send("ben");
  ASSERT_TRUE(eventually([&] { return house.sim->book().completions_started == 2; }));
  EXPECT_EQ(house.log.count("state=stuck request=2"), 1U) << "and not anna's, which is at work";
  house.sim->hold(Hold::nowhere);
  EXPECT_EQ(read_answer(anna).status, 200);
  EXPECT_EQ(read_answer(ben).status, 200);
  EXPECT_EQ(house.log.count(" state=stuck"), 1U);
}

TEST(SlotPool, a_slot_that_the_server_does_not_have_switches_swapping_off) {
  PoolHouse house(2, "[0, 1, 2]");
  EXPECT_EQ(house.chat("anna", story("anna", 100)).status, 200);
  EXPECT_EQ(house.log.count("state=not_swappable"), 1U);
  EXPECT_EQ(house.log.count("start it with -np 3"), 1U);
}

}  // namespace
}  // namespace slotswap::test
