// The folder stays within its limits; what must stay stays.
#include "sim/house.hpp"

#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>

#include <fstream>

namespace slotswap::test {
namespace {

TEST(Prune, max_files_keeps_the_most_recently_used) {
  House house("max_files: 2");
  std::ofstream(house.folder.path() / "foreign.bin") << "not ours";
  for (auto const* name : {"anna", "ben", "carl", "dora"}) house.chat(name, story(name, 50));
  // Saved by now: anna, ben, carl; the limit is two.
  ASSERT_TRUE(eventually([&] { return house.files(".json").size() == 2; }));
  EXPECT_EQ(house.log.count("event=prune"), 1U);
  EXPECT_EQ(house.log.matching("event=prune").front().find(session::state_id("anna")) ==
                std::string::npos,
            false);
  EXPECT_LT(house.chat("anna", story("anna", 51)).reused, 10);
  EXPECT_EQ(house.files("foreign.bin").size(), 1U);
}

TEST(Prune, the_state_about_to_be_restored_is_never_removed) {
  House house("max_files: 1");
  for (int turn = 0; turn < 3; ++turn) {
    for (auto const* name : {"anna", "ben"}) {
      auto const reply = house.chat(name, story(name, 100 + turn));
      if (turn == 0) continue;
      EXPECT_GE(reply.reused, 99) << name << turn;
    }
  }
}

TEST(Prune, one_state_over_the_limit_stays_with_a_warning) {
  House house("max_gib: 0.00001");  // 10 KiB
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  ASSERT_TRUE(eventually([&] { return house.log.count("larger than max_gib") >= 1; }));
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
}

}  // namespace
}  // namespace slotswap::test
