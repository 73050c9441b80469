// Requests that are none of their session's story, and sessions that are not worth a file yet.
#include "sim/house.hpp"

#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

constexpr int long_story = 400;  // words of some nine bytes: over the limit below
constexpr std::uint64_t limit = 512;

Reply tell(House& house, std::string const& session, std::string const& text, Headers headers) {
  headers.emplace_back("X-Session-ID", session);
  return House::read(house.ask("/v1/chat/completions", headers, house.chat_body(text)));
}

std::size_t saves_of(House& house, std::string const& session) {
  return house.log.count("event=save server=main route=* session=" + session::state_id(session));
}

std::size_t states_of(House& house, std::string const& session) {
  auto const files = house.files("_" + session::state_id(session) + ".json");
  return files.size();
}

constexpr auto admin = "admin: 127.0.0.1:0\n";

int forget(House& house, std::string const& session) {
  std::uint16_t port = 0;
  house.proxy->on_loop([&] { port = house.proxy->service().admin_port(); });
  return request(port, "DELETE", "/api/sessions/%2A/" + session).status;
}

/// As a new start of the program has it.
class SmallHouse : public House {
 public:
  explicit SmallHouse(std::string slots = "", std::string top = "")
      : House(std::move(slots), nullptr, std::move(top)) {
    small_tokens = limit;
    restart_proxy();
  }
};

std::string titles(std::string const& work) {
  return "side_requests: [{match: {header: {X-Task: 'title*'}}, do: " + work + "}]";
}

class RuledHouse : public House {
 public:
  explicit RuledHouse(std::string const& work, std::string slots = "", std::string top = "")
      : House(std::move(slots), nullptr, std::move(top), titles(work)) {}
  Reply title(std::string const& session, Headers headers = {}) {
    headers.emplace_back("X-Task", "title_generation");
    return tell(*this, session, "a title for " + story("other", 40), std::move(headers));
  }
};

TEST(SmallSession, is_not_saved_and_who_was_there_before_it_is) {
  SmallHouse house;
  house.chat("anna", story("anna", long_story));
  house.chat("ben", "how are you");
  house.chat("carl", story("carl", long_story));
  EXPECT_EQ(saves_of(house, "anna"), 1U);
  EXPECT_EQ(saves_of(house, "ben"), 0U);
  EXPECT_EQ(house.log.count("policy=small"), 1U);
  EXPECT_EQ(house.log.count("session=" + session::state_id("ben") + " status=200 policy=small"),
            1U);
  EXPECT_GE(house.chat("anna", story("anna", long_story + 1)).reused, long_story - 1);
  house.proxy->stop();
  EXPECT_EQ(states_of(house, "anna") + states_of(house, "carl"), 2U);
  EXPECT_EQ(states_of(house, "ben"), 0U);
}

TEST(SmallSession, that_is_in_the_slot_at_the_end_is_not_saved) {
  SmallHouse house;
  house.chat("ben", "how are you");
  house.proxy->stop();
  EXPECT_TRUE(house.files(".bin").empty());
}

TEST(SmallSession, is_saved_with_all_that_it_has_once_it_asked_again) {
  SmallHouse house;
  house.chat("ben", story("ben", 50));
  EXPECT_GE(house.chat("ben", story("ben", 60)).reused, 49);
  house.chat("carl", story("carl", long_story));
  EXPECT_EQ(saves_of(house, "ben"), 1U);
  EXPECT_GE(house.chat("ben", story("ben", 61)).reused, 59);
}

TEST(SmallSession, that_lost_the_slot_before_is_cold_and_saved_from_then_on) {
  SmallHouse house;
  house.chat("ben", story("ben", 50));
  house.chat("carl", story("carl", long_story));
  EXPECT_LE(house.chat("ben", story("ben", 51)).reused, 1);
  house.chat("carl", story("carl", long_story));
  EXPECT_EQ(saves_of(house, "ben"), 1U);
  EXPECT_GE(house.chat("ben", story("ben", 52)).reused, 50);
  EXPECT_EQ(house.log.count("policy=small"), 1U);
}

TEST(SmallSession, a_short_turn_of_one_that_began_long_is_saved) {
  SmallHouse house;
  house.chat("ben", story("ben", long_story));
  house.chat("ben", "in short");
  house.chat("carl", story("carl", long_story));
  EXPECT_EQ(saves_of(house, "ben"), 1U);
  EXPECT_EQ(house.log.count("policy=small"), 0U);
}

TEST(SmallSession, of_which_a_state_is_on_disk_is_not_new) {
  SmallHouse house;
  house.chat("ben", story("ben", long_story));
  house.chat("carl", story("carl", long_story));
  house.restart_proxy();
  house.chat("ben", "in short");
  house.chat("carl", story("carl", long_story));
  EXPECT_EQ(house.log.count("policy=small"), 0U);
  EXPECT_EQ(saves_of(house, "ben"), 2U);
}

TEST(SmallSession, that_is_still_in_the_slot_after_a_restart_is_not_new) {
  SmallHouse house;
  house.chat("ben", story("ben", 50));
  house.restart_proxy();
  ASSERT_TRUE(eventually([&] { return house.log.count("state=held") == 1; }));
  EXPECT_GE(house.chat("ben", story("ben", 51)).reused, 49);
  house.chat("carl", story("carl", long_story));
  EXPECT_EQ(saves_of(house, "ben"), 1U);
}

TEST(SmallSession, that_was_deleted_is_new_again) {
  SmallHouse house("", admin);
  house.chat("ben", "how are you");
  EXPECT_EQ(forget(house, "ben"), 204);
  house.chat("ben", "how are you now");
  EXPECT_EQ(house.log.count("policy=small"), 2U);
}

TEST(SmallSession, is_saved_at_once_where_its_client_or_a_rule_wants_it) {
  SmallHouse house;
  tell(house, "ben", "how are you", {{"X-Slot-Policy", "keep"}});
  house.chat("carl", story("carl", long_story));
  EXPECT_EQ(saves_of(house, "ben"), 1U);
  house.route_yaml = "side_requests: [{match: {path: '*'}, do: normal}]";
  house.restart_proxy();
  house.chat("dora", "how are you");
  house.chat("carl", story("carl", long_story));
  EXPECT_EQ(saves_of(house, "dora"), 1U);
  EXPECT_EQ(house.log.count("policy="), 0U);
}

TEST(NoSave, its_session_is_saved_before_and_not_after) {
  House house;
  house.chat("anna", story("anna", 100));
  auto const side =
      tell(house, "anna", story("anna", 100) + story("side", 30), {{"X-Slot-Policy", "no-save"}});
  EXPECT_GE(side.reused, 99);
  EXPECT_EQ(house.log.count("policy=no_save swapped=save"), 1U);
  EXPECT_EQ(saves_of(house, "anna"), 1U);
  house.chat("ben", story("ben", 100));
  EXPECT_EQ(saves_of(house, "anna"), 1U);
  auto const again = house.chat("anna", story("anna", 100) + story("side", 30));
  EXPECT_GE(again.reused, 99) << "what it had before stayed";
  EXPECT_GE(again.read, 30) << "and nothing of the side request";
}

TEST(NoSave, of_a_restored_session_leaves_its_state_as_it_is) {
  House house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  tell(house, "anna", story("side", 30), {{"X-Slot-Policy", "no-save"}});
  house.chat("ben", story("ben", 101));
  EXPECT_EQ(saves_of(house, "anna"), 1U);
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
}

TEST(NoSave, the_next_turn_of_the_story_is_saved_with_all_that_the_slot_holds) {
  House house;
  house.chat("anna", story("anna", 100));
  tell(house, "anna", story("anna", 110), {{"X-Slot-Policy", "no-save"}});
  house.chat("anna", story("anna", 120));
  house.chat("ben", story("ben", 100));
  EXPECT_EQ(saves_of(house, "anna"), 2U);
  EXPECT_GE(house.chat("anna", story("anna", 121)).reused, 119);
}

TEST(NoSave, a_session_that_asks_for_nothing_else_never_reaches_the_disk) {
  RuledHouse house("no_save");
  EXPECT_EQ(house.title("anna").status, 200);
  EXPECT_EQ(house.title("anna").status, 200);
  EXPECT_EQ(house.log.count("policy=no_save"), 2U);
  house.proxy->stop();
  EXPECT_TRUE(house.files(".bin").empty());
}

// What a title costs its story, in tokens that are read again.
std::int64_t read_after_title(std::string const& work) {
  RuledHouse house(work);
  house.chat("anna", story("anna", 200));
  EXPECT_EQ(house.title("anna").status, 200);
  return house.chat("anna", story("anna", 201)).read;
}

TEST(Isolate, a_title_costs_its_story_nothing) {
  EXPECT_LE(read_after_title("isolate"), 10);
  EXPECT_LE(read_after_title("elsewhere"), 10);
  EXPECT_GT(read_after_title("normal"), 190) << "or this would show nothing";
}

TEST(Isolate, what_it_leaves_is_never_saved_and_no_turn_of_the_story) {
  RuledHouse house("isolate");
  house.chat("anna", story("anna", 200));
  house.title("anna");
  house.title("anna");
  house.chat("anna", story("anna", 201));
  EXPECT_EQ(house.log.count("event=prompt"), 1U);
  house.title("anna");
  house.proxy->stop();
  EXPECT_EQ(house.files(".bin").size(), 1U);
  EXPECT_EQ(states_of(house, "anna"), 1U);
  auto const requests = house.log.matching("policy=isolate");
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_NE(requests[0].find("session=" + session::state_id("anna")), std::string::npos)
      << requests[0];
  EXPECT_EQ(requests[1].find("swapped="), std::string::npos) << "it has its cache still";
}

TEST(Isolate, what_it_left_in_the_slot_goes_with_its_session) {
  RuledHouse house("isolate", "", admin);
  auto const text = "a title for " + story("other", 40);
  house.title("anna");
  EXPECT_EQ(forget(house, "anna"), 204);
  EXPECT_EQ(house.chat("ben", text).reused, 0);
}

TEST(Isolate, of_clients_without_a_session_is_beside_the_one_they_share) {
  RuledHouse house("isolate");
  house.chat("", story("nobody", 200));
  house.ask("/v1/chat/completions", {{"X-Task", "title"}}, house.chat_body("a title"));
  EXPECT_LE(house.chat("", story("nobody", 201)).read, 10);
  EXPECT_EQ(house.log.count("policy=isolate"), 1U);
}

TEST(Isolate, without_any_session_there_is_nothing_to_be_beside) {
  RuledHouse house("isolate", "no_session: pass");
  auto const answer =
      house.ask("/v1/chat/completions", {{"X-Task", "title"}}, house.chat_body("a title"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(house.log.count("policy="), 0U);
}

TEST(SlotPolicy, the_clients_word_wins_over_a_rule) {
  RuledHouse house("isolate");
  house.chat("anna", story("anna", 100));
  house.title("anna", {{"X-Slot-Policy", "keep"}});
  EXPECT_EQ(house.log.count("policy="), 0U);
  EXPECT_EQ(house.log.count("event=restore"), 1U) << "only the first request was a miss";
}

TEST(SlotPolicy, an_unknown_word_is_an_error_where_a_session_is_managed) {
  House house;
  Headers const headers{{"X-Session-ID", "anna"}, {"X-Slot-Policy", "isolated"}};
  auto const refused = house.ask("/v1/chat/completions", headers, house.chat_body("x"));
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("bad_slot_policy"), std::string::npos) << refused.body;
  EXPECT_NE(refused.body.find("keep, no-save or isolate"), std::string::npos) << refused.body;
  EXPECT_EQ(house.ask("/tokenize", headers, R"({"content":"x"})").status, 200);
}

}  // namespace
}  // namespace slotswap::test
