// The folder of saved states: another one than the server's, and its limits.
#include "real/house.hpp"

#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

namespace slotswap::test {
namespace {

TEST(RealFolder, another_folder_than_the_servers_is_one_warning_and_sessions_are_swapped) {
  SLOTSWAP_NEED_REAL_SERVER();
  TempDir elsewhere;
  RealHouseOptions options;
  options.save_path = elsewhere.path();
  RealHouse house(options);
  for (int turn = 0; turn < 3; ++turn) {
    for (std::string const name : {"anna", "ben"}) {
      auto const reply = house.chat(name, story(name, 100));
      EXPECT_EQ(reply.status, 200);
      if (turn > 0) {
        EXPECT_LE(reply.read, 1) << name;
      }
    }
  }
  EXPECT_EQ(house.proxy->count({"level=warning"}), 1U) << house.proxy->log();
  EXPECT_EQ(house.proxy->count({"event=store", "not under save_path"}), 1U);
  EXPECT_EQ(house.proxy->count({"event=restore ", "result=ok"}), 4U);
  EXPECT_TRUE(files_in(elsewhere.path(), ".bin").empty());
  EXPECT_GE(house.expect_own_tokens({"anna", "ben"}, 100), 2U);
}

// The states that are committed once all is written.
std::set<std::string> sessions_kept(RealHouse& house) {
  EXPECT_EQ(house.stop_proxy(), 0);
  std::set<std::string> kept;
  for (auto const& state : states_in(house.folder())) kept.insert(state.session);
  EXPECT_EQ(files_in(house.folder(), ".bin").size(), kept.size()) << "data without a manifest";
  return kept;
}

std::set<std::string> ids(std::set<std::string> const& names) {
  std::set<std::string> all;
  for (auto const& name : names) all.insert(session::state_id(name));
  return all;
}

TEST(RealFolder, max_files_removes_what_was_used_the_longest_ago_and_nothing_of_others) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouseOptions options;
  options.slots = "max_files: 2";
  RealHouse house(options);
  for (auto const* name : {"foreign.dat", "foreign.json", "notes.txt", "tiny_anna.bin.txt"}) {
    std::ofstream(house.folder() / name) << "{}";
  }
  for (auto const* name : {"anna", "ben", "anna", "carl", "dora"}) {
    house.chat(name, story(name, 60));
  }
  // dora's is saved last; anna's was used after ben's, carl's after anna's.
  EXPECT_EQ(house.proxy->count({"event=prune ", "session=" + session::state_id("ben")}), 1U);
  std::filesystem::remove(house.folder() / "foreign.json");
  EXPECT_EQ(sessions_kept(house), ids({"carl", "dora"}));
  for (auto const* name : {"foreign.dat", "notes.txt", "tiny_anna.bin.txt"}) {
    EXPECT_TRUE(std::filesystem::exists(house.folder() / name)) << name;
  }
}

TEST(RealFolder, a_limit_of_one_keeps_the_state_that_is_about_to_be_restored) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouseOptions options;
  options.slots = "max_files: 1";
  RealHouse house(options);
  for (auto const* name : {"anna", "ben"}) house.chat(name, story(name, 60));
  EXPECT_LE(house.chat("anna", story("anna", 60)).read, 1);
  EXPECT_LE(house.chat("ben", story("ben", 60)).read, 1);
  EXPECT_EQ(sessions_kept(house), ids({"ben"}));
}

TEST(RealFolder, max_gib_holds_for_the_folder_and_a_state_over_it_stays_with_a_warning) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouseOptions options;
  options.slots = "max_gib: 0.0005";  // two states of 400 tokens or one of 1,000
  RealHouse house(options);
  for (auto const* name : {"anna", "ben", "carl"}) house.chat(name, story(name, 60));
  house.chat("dora", story("dora", 300));
  EXPECT_EQ(house.proxy->count({"event=prune ", "session=" + session::state_id("anna")}), 1U);
  EXPECT_EQ(house.proxy->count({"event=prune ", "level=warning"}), 0U);
  EXPECT_EQ(sessions_kept(house), ids({"dora"}));
  EXPECT_EQ(house.proxy->count({"event=prune ", "level=warning"}), 1U);
}

}  // namespace
}  // namespace slotswap::test
