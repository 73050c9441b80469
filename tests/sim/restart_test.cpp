// What a slot holds outlives slotswap, as far as the server still shows all of it.
#include "sim/state_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace slotswap::test {
namespace {

/// Ends the proxy and leaves the folder as a kill behind the last answer would have: what the drain
/// saved is taken away again.
void kill_proxy(House& house) {
  auto const text = state_text(house.folder);
  auto const before = house.files("");
  house.proxy.reset();
  for (auto const& name : house.files("")) {
    if (std::find(before.begin(), before.end(), name) == before.end())
      std::filesystem::remove(house.folder.path() / name);
  }
  write_file(state_file(house.folder), text);
}

void start_proxy(House& house) {
  house.proxy = std::make_unique<RunningProxy>(house.yaml(), house.options());
}

/// The slot holds an answer of anna's that nobody saved, and slotswap is gone.
void leave_dirty(House& house) {
  house.chat("anna", story("anna", 100));
  ASSERT_TRUE(noted_dirty(house.folder, "anna"));
  kill_proxy(house);
}

/// Nothing is saved as anna's: what the slot holds was not taken for hers.
void expect_not_believed(House& house) {
  start_proxy(house);
  auto const before = saves(house.sim->book());
  EXPECT_EQ(house.chat("ben", story("ben", 100)).status, 200);
  EXPECT_EQ(saves(house.sim->book()), before);
  EXPECT_EQ(house.log.count("state=held"), 0U);
  EXPECT_EQ(files_of(house, "anna"), 0U);
}

TEST(Restart, the_state_file_names_the_session_with_stamp_and_marker) {
  House house;
  house.chat("anna", story("anna", 100));
  ASSERT_TRUE(noted_dirty(house.folder, "anna"));
  auto const record = *noted(house.folder);
  auto const props = request(house.sim->port(), "GET", "/props").body;
  EXPECT_NE(props.find(record.marker), std::string::npos);
  EXPECT_FALSE(record.marker.empty());
  EXPECT_GT(record.task, 0);
  EXPECT_GE(record.tokens, 100);
  EXPECT_TRUE(record.savable);
  EXPECT_EQ(record.route, "*");
}

TEST(Restart, after_a_kill_the_sessions_next_request_needs_no_slot_call) {
  House house;
  leave_dirty(house);
  auto const before = slot_calls(house.sim->book());
  start_proxy(house);
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
  EXPECT_EQ(slot_calls(house.sim->book()), before);
  EXPECT_EQ(house.log.count("state=held"), 1U);
}

TEST(Restart, after_a_kill_a_dirty_slot_is_saved_when_another_session_comes) {
  House house;
  leave_dirty(house);
  auto const before = saves(house.sim->book());
  start_proxy(house);
  house.chat("ben", story("ben", 100));
  EXPECT_EQ(saves(house.sim->book()), before + 1);
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
}

TEST(Restart, after_a_stop_the_slot_is_used_and_not_saved_again) {
  House house;
  house.chat("anna", story("anna", 100));
  house.proxy.reset();
  auto const before = slot_calls(house.sim->book());
  start_proxy(house);
  EXPECT_GE(house.chat("anna", story("anna", 100)).reused, 99);
  EXPECT_EQ(slot_calls(house.sim->book()), before);
}

TEST(Restart, a_session_that_is_never_saved_stays_so) {
  House house("no_session: unsaved");
  house.chat("", story("nobody", 100));
  ASSERT_TRUE(eventually([&] { return noted(house.folder).has_value(); }));
  kill_proxy(house);
  start_proxy(house);
  EXPECT_GE(house.chat("", story("nobody", 101)).reused, 99);
  house.chat("ben", story("ben", 100));
  EXPECT_EQ(saves(house.sim->book()), 0U);
}

// Each alone: in life several differ at once, and one of them would hide that another is not asked.
TEST(Restart, one_thing_that_differs_is_enough_not_to_believe) {
  using Change = std::function<void(store::SlotRecord&)>;
  for (auto const& change : {
           Change([](store::SlotRecord& record) { record.marker += "x"; }),
           Change([](store::SlotRecord& record) { record.fingerprint += "x"; }),
           Change([](store::SlotRecord& record) { record.key = "x" + record.key; }),
           Change([](store::SlotRecord& record) { ++record.task; }),
           Change([](store::SlotRecord& record) { ++record.tokens; }),
       }) {
    House house;
    leave_dirty(house);
    auto book = read_book(house.folder);
    change(book.slots.at({"main", 0}));
    write_file(state_file(house.folder), store::to_json(book));
    expect_not_believed(house);
  }
}

TEST(Restart, a_server_that_was_started_again_meanwhile_is_not_believed_to_hold_anything) {
  House house;
  leave_dirty(house);
  house.sim->start_again();
  expect_not_believed(house);
}

TEST(Restart, another_clients_request_meanwhile_is_not_taken_for_the_session) {
  House house;
  leave_dirty(house);
  request(house.sim->port(), "POST", "/v1/chat/completions", {},
          house.chat_body(story("stranger", 100)));
  expect_not_believed(house);
}

TEST(Restart, another_fingerprint_meanwhile_makes_the_slots_content_no_sessions) {
  House house;
  leave_dirty(house);
  house.top_yaml = "defaults: {fingerprint: other}\n";
  expect_not_believed(house);
}

TEST(Restart, a_state_file_that_cannot_be_read_is_one_warning) {
  House cut;
  leave_dirty(cut);
  auto const whole = state_text(cut.folder);
  for (auto const& text :
       {std::string("rubbish"), std::string("{}"), whole.substr(0, whole.size() / 2)}) {
    House house;
    leave_dirty(house);
    write_file(state_file(house.folder), text);
    expect_not_believed(house);
    EXPECT_EQ(house.log.count("what the slots hold is not known"), 1U) << text;
    EXPECT_EQ(house.log.count("level=warning"), 1U) << text;
  }
}

TEST(Restart, without_a_state_file_nothing_is_said) {
  House house;
  leave_dirty(house);
  std::filesystem::remove(state_file(house.folder));
  expect_not_believed(house);
  EXPECT_EQ(house.log.count("level=warning"), 0U);
}

}  // namespace
}  // namespace slotswap::test
