// What the head of a managed answer says of its slot and of its waiting.
#include "sim/house.hpp"

#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

namespace slotswap::test {
namespace {

using llama_sim::Fault;

HttpAnswer ask(House& house, std::string const& session, int words, std::string const& more = "") {
  return house.ask("/v1/chat/completions", {{"X-Session-ID", session}},
                   house.chat_body(story(session, words), more));
}

std::string slot_of(HttpAnswer const& answer) {
  return answer.header("x-slotswap-slot").value_or("none");
}

bool matches(HttpAnswer const& answer, char const* name, char const* pattern) {
  return std::regex_match(answer.header(name).value_or(""), std::regex(pattern));
}

TEST(Headers, say_whose_session_it_was_and_how_long_it_waited) {
  House house;
  auto const answer = ask(house, "anna", 50);
  EXPECT_EQ(answer.header("x-slotswap-session"), session::state_id("anna").substr(0, 8));
  EXPECT_TRUE(matches(answer, "x-slotswap-wait-ms", "[0-9]+")) << answer.head;
  EXPECT_TRUE(matches(answer, "x-slotswap-swap-ms", "[0-9]+")) << answer.head;
  EXPECT_TRUE(matches(answer, "server-timing", R"(wait;dur=[0-9]+\.[0-9], swap;dur=[0-9]+\.[0-9])"))
      << answer.head;
}

TEST(Headers, say_what_the_session_found_in_the_slot) {
  House house;
  EXPECT_EQ(slot_of(ask(house, "anna", 50)), "cold");
  EXPECT_EQ(slot_of(ask(house, "anna", 51)), "resident");
  EXPECT_EQ(slot_of(ask(house, "ben", 50)), "kept");
  EXPECT_EQ(slot_of(ask(house, "anna", 52)), "restored");
  for (auto const* word : {"cold", "resident", "kept", "restored"})
    EXPECT_EQ(house.log.count(std::string(" slot=") + word), 1U) << word;
}

TEST(Headers, of_a_stream_are_there_as_well) {
  House house;
  ask(house, "anna", 50);
  EXPECT_EQ(slot_of(ask(house, "anna", 51, R"("stream":true,)")), "resident");
}

TEST(Headers, an_erased_slot_is_cold) {
  House house("on_miss: erase");
  ask(house, "anna", 50);
  EXPECT_EQ(slot_of(ask(house, "ben", 50)), "cold");
  EXPECT_EQ(house.log.count("swapped=save+erase"), 1U);
}

TEST(Headers, a_swap_that_failed_is_cold) {
  House house;
  ask(house, "anna", 50);
  ask(house, "ben", 50);
  house.sim->order(Fault::restore_error);
  EXPECT_EQ(slot_of(ask(house, "anna", 51)), "cold");
  house.sim->order(Fault::save_error);
  EXPECT_EQ(slot_of(ask(house, "carl", 50)), "cold");
}

TEST(Headers, a_session_whose_request_was_given_up_goes_on_where_that_one_was) {
  House house;
  ask(house, "ben", 50);
  house.sim->hold(llama_sim::Hold::prefill);
  RawClient leaving(house.proxy->port());
  leaving.send(make_request("POST", "/v1/chat/completions", {{"X-Session-ID", "anna"}},
                            house.chat_body(story("anna", 50))));
  ASSERT_TRUE(eventually([&] { return house.sim->book().completions_started == 2; }));
  leaving.close();
  ASSERT_TRUE(eventually([&] { return house.sim->book().completions_cancelled == 1; }));
  house.sim->hold(llama_sim::Hold::nowhere);
  EXPECT_EQ(slot_of(ask(house, "anna", 50)), "resident");
}

TEST(Headers, an_error_of_the_server_and_one_of_ours_behind_the_swap_have_them) {
  House house;
  ask(house, "anna", 50);
  auto const refused = ask(house, "anna", 20'000);
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(slot_of(refused), "resident");
  // One on a kept connection is sent again.
  house.sim->order(Fault::drop_request, 2);
  auto const broken = ask(house, "anna", 50);
  EXPECT_EQ(broken.status, 502);
  EXPECT_EQ(slot_of(broken), "resident");
}

TEST(Headers, what_has_no_session_has_none) {
  House house("no_session: pass");
  for (auto const* path : {"/v1/chat/completions", "/tokenize"}) {
    auto const answer = house.ask(path, {}, house.chat_body("one"));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.head.find("Slotswap"), std::string::npos) << answer.head;
    EXPECT_FALSE(answer.header("server-timing").has_value());
  }
}

TEST(Headers, can_be_switched_off) {
  House house("", nullptr, "", "response_headers: off");
  auto const answer = ask(house, "anna", 50);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.head.find("Slotswap"), std::string::npos) << answer.head;
  EXPECT_FALSE(answer.header("server-timing").has_value());
  EXPECT_EQ(house.log.count("slot=cold"), 1U);
}

}  // namespace
}  // namespace slotswap::test
