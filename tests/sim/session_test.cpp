// Whose request it is: the header, no header, and the three ways to treat it.
#include "sim/house.hpp"

#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

TEST(SessionHeader, thirty_two_hex_digits_name_the_file) {
  House house;
  std::string const id = "3f9a0c1d5b7e4a2c8d6f1e0b9a7c5d3e";
  house.chat(id, story("anna", 20));
  house.chat("other", story("other", 20));
  ASSERT_TRUE(eventually([&] { return house.files(".json").size() == 1; }));
  EXPECT_NE(house.files(".json").front().find("_" + id + ".json"), std::string::npos);
}

TEST(SessionHeader, two_different_ones_are_refused_on_managed_paths_only) {
  House house;
  Headers const two = {{"X-Session-ID", "a"}, {"X-Session-ID", "b"}};
  auto const refused = house.ask("/v1/chat/completions", two, house.chat_body("x"));
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("session_conflict"), std::string::npos);
  EXPECT_EQ(house.ask("/tokenize", two, R"({"content":"x"})").status, 200);
  Headers const same = {{"X-Session-ID", "a"}, {"X-Session-ID", "a"}};
  EXPECT_EQ(house.ask("/v1/chat/completions", same, house.chat_body("x")).status, 200);
}

TEST(NoSession, shared_is_saved_and_restored_like_any_other) {
  House house;
  house.chat("", story("nobody", 100));
  house.chat("anna", story("anna", 100));
  EXPECT_GE(house.chat("", story("nobody", 101)).reused, 99);
}

TEST(NoSession, unsaved_never_reaches_the_disk) {
  House house("no_session: unsaved");
  house.chat("", story("nobody", 100));
  house.chat("anna", story("anna", 100));
  house.chat("", story("nobody", 101));
  house.proxy->stop();
  for (auto const& file : house.files(".bin")) {
    EXPECT_NE(file.find(session::state_id("anna")), std::string::npos) << file;
  }
  EXPECT_EQ(house.files(".bin").size(), 1U);
}

TEST(NoSession, pass_saves_the_resident_first_and_leaves_the_slot_unknown) {
  House house("no_session: pass");
  house.chat("anna", story("anna", 100));
  EXPECT_EQ(house.chat("", story("nobody", 100)).status, 200);
  EXPECT_EQ(house.log.count("event=save"), 1U);
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
  EXPECT_EQ(house.log.count("event=save"), 1U);
}

TEST(Prompt, each_request_after_the_first_says_where_it_differs) {
  House house;
  house.chat("anna", "one two three");
  EXPECT_EQ(house.log.count("event=prompt"), 0U);
  house.chat("anna", "one two four");
  ASSERT_EQ(house.log.count("event=prompt"), 1U);
  EXPECT_EQ(house.log.count("result=differs"), 1U);
  house.chat("anna", "one two four");
  EXPECT_EQ(house.log.count("result=same"), 1U);
}

TEST(Servers, what_cannot_swap_is_said_once_and_requests_pass) {
  struct Row {
    std::function<void(llama_sim::Options&)> change;
    char const* flag;
  };
  for (auto const& row :
       {Row{[](llama_sim::Options& o) { o.slots = 4; }, "-np 1"},
        Row{[](llama_sim::Options& o) { o.slots_endpoint = false; }, "--slots"},
        Row{[](llama_sim::Options& o) { o.slot_save_path.clear(); }, "--slot-save-path"}}) {
    House house("", row.change);
    EXPECT_EQ(house.chat("anna", "one").status, 200);
    EXPECT_EQ(house.chat("ben", "two").status, 200);
    auto const warnings = house.log.matching("swapping is off");
    ASSERT_EQ(warnings.size(), 1U) << row.flag;
    EXPECT_NE(warnings.front().find(row.flag), std::string::npos) << warnings.front();
    EXPECT_EQ(house.log.count("event=skip"), 1U);
    EXPECT_EQ(house.sim->book().count("POST", "/slots/0?action=save"), 0U);
  }
}

}  // namespace
}  // namespace slotswap::test
