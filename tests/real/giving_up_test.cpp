// Clients that give up before their request is sent: in the queue, in a swap. What the server hears
// of it.
#include "real/house.hpp"
#include "real/seen.hpp"

#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>

#include <string>

namespace slotswap::test {
namespace {

// slotswap has one loop: what came before this was seen.
void let_it_see(RealHouse const& house) {
  EXPECT_EQ(request(house.proxy->port(), "GET", "/slotswap/health").status, 200);
}

std::string of(std::string const& name) {
  return "session=" + session::state_id(name);
}

bool saw_it_leave(RealHouse const& house, std::string const& name) {
  return house.proxy->said({"event=request ", of(name), "code=client_gone"});
}

constexpr auto long_answer = R"("max_tokens":3000,)";

class RealGivingUp : public ::testing::TestWithParam<bool> {
 protected:
  static std::string more(std::string const& rest = "") {
    return (GetParam() ? R"("stream":true,)" : "") + rest;
  }
};

TEST_P(RealGivingUp, in_the_queue_the_server_hears_nothing_of_it) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house(talkative("mid"));
  LeavingClient first(house, "anna", user_says(story("anna", 20)), more(long_answer));
  ASSERT_TRUE(eventually([&] { return progress(house.server).answered > 0; }));
  LeavingClient second(house, "ben", user_says(story("ben", 20)), more());
  let_it_see(house);
  second.leave();
  ASSERT_TRUE(saw_it_leave(house, "ben"));
  EXPECT_EQ(house.proxy->count({"event=request ", of("ben"), "status=499", "swapped="}), 0U);
  EXPECT_GT(progress(house.server).answered, 0);
  first.leave();
  EXPECT_EQ(house.chat("carl", story("carl", 20)).status, 200);
  EXPECT_EQ(begun(house.server), 2U);
  EXPECT_EQ(parked(house.server), 0U);
}

// ben has a saved state, and anna is in the slot with what is not saved yet.
RealHouseOptions wired() {
  auto options = talkative("tiny");
  options.wired = true;
  return options;
}

void take_turns(RealHouse& house) {
  for (auto const* name : {"anna", "ben", "anna"}) {
    ASSERT_EQ(house.chat(name, story(name, 50)).status, 200);
  }
  ASSERT_EQ(house.wire->count("POST /slots/0?action=restore"), 1U);
}

// ben leaves while the call that his request needs is under way.
void leave_in_the_call(RealHouse& house, std::string const& call, std::string const& more) {
  house.wire->hold(call);
  LeavingClient client(house, "ben", user_says(story("ben", 50)), more);
  ASSERT_TRUE(eventually([&] { return house.wire->holds_one(); }));
  client.leave();
  let_it_see(house);
  house.wire->release();
  ASSERT_TRUE(saw_it_leave(house, "ben"));
  EXPECT_EQ(house.wire->count("POST /v1/chat/completions"), 3U);
  EXPECT_EQ(begun(house.server), 3U);
}

TEST_P(RealGivingUp, in_a_save_that_is_finished_and_nothing_else_is_begun) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house(wired());
  take_turns(house);
  leave_in_the_call(house, "POST /slots/0?action=save", more());
  EXPECT_EQ(house.proxy->count({"event=save ", of("anna"), "result=ok"}), 2U);
  EXPECT_EQ(house.wire->count("POST /slots/0?action=restore"), 1U);
  // The slot is still anna's.
  EXPECT_LE(house.chat("anna", story("anna", 50), more()).read, 1);
  EXPECT_EQ(house.wire->count("POST /slots/0?action=restore"), 1U);
  EXPECT_LE(house.chat("ben", story("ben", 50), more()).read, 1);
}

TEST_P(RealGivingUp, in_a_restore_that_is_finished_and_the_request_is_not_sent) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house(wired());
  take_turns(house);
  leave_in_the_call(house, "POST /slots/0?action=restore", more());
  EXPECT_EQ(house.proxy->count({"event=restore ", of("ben"), "result=ok"}), 1U);
  // The slot is ben's now.
  EXPECT_LE(house.chat("ben", story("ben", 50), more()).read, 1);
  EXPECT_EQ(house.wire->count("POST /slots/0?action=restore"), 2U);
  EXPECT_LE(house.chat("anna", story("anna", 50), more()).read, 1);
}

INSTANTIATE_TEST_SUITE_P(Kinds, RealGivingUp, ::testing::Bool(),
                         [](auto const& tested) { return tested.param ? "stream" : "whole"; });

}  // namespace
}  // namespace slotswap::test
