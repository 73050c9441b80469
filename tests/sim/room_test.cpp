// Which states stay where the disk or a limit has no room for all.
#include "sim/other_disk.hpp"
#include "sim/state_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <iomanip>
#include <sstream>

namespace slotswap::test {
namespace {

namespace fs = std::filesystem;
using llama_sim::Fault;

constexpr std::uint64_t gib = 1ULL << 30U;

std::uint64_t bytes_saved(House const& house) {
  std::uint64_t bytes = 0;
  for (auto const& name : house.files(".bin")) bytes += fs::file_size(house.folder.path() / name);
  return bytes;
}

/// A disk that holds the states and so much more.
class SmallDisk : public OtherDisk {
 public:
  SmallDisk(House const& house, std::uint64_t free) : house_(house) {
    capacity_ = bytes_saved(house) + free;
  }
  Result<std::uint64_t> free_bytes(Text) override {
    return capacity_ - std::min<std::uint64_t>(capacity_, bytes_saved(house_));
  }

 private:
  House const& house_;
  std::atomic<std::uint64_t> capacity_;
};

/// Saves all of them, the first one first, and ends.
void leave_saved(House& house, std::vector<std::string> const& sessions) {
  for (auto const& name : sessions) house.chat(name, story(name, 100));
  house.proxy.reset();
}

/// The folder has been read: before, nothing is removed.
void restart_with_room(House& house, std::uint64_t free) {
  auto const before = house.log.count("saved states found");
  restart_on(house, std::make_shared<SmallDisk>(house, free));
  ASSERT_TRUE(eventually([&] { return house.log.count("saved states found") > before; }));
}

TEST(Room, the_states_used_the_longest_ago_go_for_a_save_that_does_not_fit) {
  House house("min_free_gib: 1");
  leave_saved(house, {"anna", "ben"});
  restart_with_room(house, gib - 1);
  house.chat("carl", story("carl", 100));
  house.chat("dora", story("dora", 100));
  auto const pruned = house.log.matching("event=prune");
  ASSERT_EQ(pruned.size(), 1U);
  EXPECT_NE(pruned.front().find(session::state_id("anna")), std::string::npos) << pruned.front();
  EXPECT_NE(pruned.front().find("the disk is full"), std::string::npos);
  EXPECT_EQ(files_of(house, "anna"), 0U);
  EXPECT_GE(house.chat("ben", story("ben", 101)).reused, 99);
}

TEST(Room, the_state_about_to_be_restored_does_not_go_for_the_save_before_it) {
  House house("min_free_gib: 1");
  leave_saved(house, {"anna", "ben"});
  restart_with_room(house, gib - 1);
  house.chat("carl", story("carl", 100));
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
  EXPECT_EQ(files_of(house, "ben"), 0U);
}

TEST(Room, where_removing_all_would_not_do_nothing_goes_and_nothing_is_saved) {
  House house("min_free_gib: 1");
  leave_saved(house, {"anna", "ben"});
  restart_with_room(house, gib / 2);
  auto const before = saves(house.sim->book());
  for (auto const* name : {"carl", "dora", "anna", "emil"})
    EXPECT_EQ(house.chat(name, story(name, 120)).status, 200);
  EXPECT_EQ(saves(house.sim->book()), before);
  EXPECT_EQ(house.log.count("event=prune"), 0U);
  EXPECT_EQ(house.log.count("level=warning"), 1U);
  // The state of before: what came since is read again.
  auto const reply = house.chat("anna", story("anna", 130));
  EXPECT_GE(reply.reused, 99);
  EXPECT_LE(reply.reused, 110);
}

/// Anna's state is to be written anew, and nobody else's may go for it.
void come_back_without_room(House& house) {
  leave_saved(house, {"anna", "ben"});
  restart_with_room(house, gib);
  EXPECT_GE(house.chat("anna", story("anna", 120)).reused, 99);
}

TEST(Room, publish_replace_saves_over_the_old_file) {
  House house("min_free_gib: 1, publish: replace");
  come_back_without_room(house);
  auto const old = manifest_of(house.folder, "anna");
  ASSERT_TRUE(old);
  EXPECT_GE(house.chat("ben", story("ben", 101)).reused, 99);
  auto const book = house.sim->book();
  auto const save = std::find_if(book.calls.rbegin(), book.calls.rend(),
                                 [](auto const& call) { return call.target.ends_with("=save"); });
  ASSERT_NE(save, book.calls.rend());
  EXPECT_EQ(save->file, old->data);
  EXPECT_EQ(house.log.count("event=save server=main route=* session=" + session::state_id("anna")),
            2U);
  EXPECT_GE(house.chat("anna", story("anna", 121)).reused, 119);
  house.proxy.reset();
  auto const now = manifest_of(house.folder, "anna");
  ASSERT_TRUE(now);
  EXPECT_EQ(now->data, old->data);
  EXPECT_GT(now->tokens, old->tokens);
  EXPECT_EQ(files_of(house, "anna"), 2U);
  house.sim->start_again();
  restart_with_room(house, 2 * gib);
  EXPECT_GE(house.chat("anna", story("anna", 121)).reused, 119);
}

TEST(Room, a_save_over_the_old_file_that_fails_leaves_neither) {
  House house("min_free_gib: 1, publish: replace");
  come_back_without_room(house);
  house.sim->order(Fault::save_error);
  EXPECT_EQ(house.chat("ben", story("ben", 101)).status, 200);
  EXPECT_TRUE(eventually([&] { return files_of(house, "anna") == 0; }));
  auto const restores = house.sim->book().count("POST", "/slots/0?action=restore");
  EXPECT_EQ(house.chat("anna", story("anna", 121)).status, 200);
  EXPECT_EQ(house.sim->book().count("POST", "/slots/0?action=restore"), restores);
}

TEST(Room, publish_beside_keeps_the_old_state_where_there_is_no_room) {
  House house("min_free_gib: 1");
  come_back_without_room(house);
  EXPECT_GE(house.chat("ben", story("ben", 101)).reused, 99);
  auto const reply = house.chat("anna", story("anna", 121));
  EXPECT_GE(reply.reused, 99);
  EXPECT_LE(reply.reused, 110);
}

/// As if it had been used last in 1970.
void make_old(House const& house, std::string const& session) {
  auto manifest = manifest_of(house.folder, session);
  ASSERT_TRUE(manifest);
  manifest->last_used = 1;
  auto const path = manifest_path(house.folder, session);
  write_file(path, store::to_json(*manifest));
  fs::last_write_time(path, fs::file_time_type::clock::from_sys(std::chrono::sys_seconds()));
}

TEST(Room, a_state_that_was_not_used_for_max_age_goes_at_the_start) {
  House house;
  leave_saved(house, {"anna", "ben", "carl"});
  make_old(house, "anna");
  make_old(house, "ben");
  house.slots_yaml = "max_age: 30d, pin: [ben]";
  house.restart_proxy();
  EXPECT_TRUE(eventually([&] { return files_of(house, "anna") == 0; }));
  EXPECT_EQ(house.log.count("was not used for longer than max_age"), 1U);
  house.proxy.reset();
  EXPECT_EQ(files_of(house, "ben"), 2U);
  EXPECT_EQ(files_of(house, "carl"), 2U);
}

TEST(Room, a_pinned_state_is_never_over_max_files) {
  House house("max_files: 1, pin: [anna]");
  leave_saved(house, {"anna", "ben", "carl"});
  EXPECT_EQ(files_of(house, "anna"), 2U);
  EXPECT_EQ(files_of(house, "ben"), 0U);
  house.restart_proxy();
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
}

TEST(Room, above_the_days_writes_only_a_switch_saves) {
  House house("save_idle_seconds: 0.02, max_write_gib_per_day: 0.00000001");
  house.chat("anna", story("anna", 100));
  ASSERT_TRUE(eventually([&] { return saves(house.sim->book()) == 1; }));
  house.chat("anna", story("anna", 110));
  ASSERT_TRUE(eventually([&] { return house.log.count("max_write_gib_per_day is reached") == 1; }));
  EXPECT_EQ(saves(house.sim->book()), 1U);
  house.chat("ben", story("ben", 100));
  EXPECT_EQ(saves(house.sim->book()), 2U);
  EXPECT_GE(house.chat("anna", story("anna", 111)).reused, 109);
  EXPECT_EQ(house.log.count("max_write_gib_per_day is reached"), 1U);
}

TEST(Room, a_generation_that_waits_for_its_commit_counts_in_max_gib) {
  House house;
  leave_saved(house, {"anna", "ben", "carl"});
  // Three of them fit and half a fourth.
  std::ostringstream limit;
  limit << std::fixed << std::setprecision(9)
        << static_cast<double>(bytes_saved(house)) * 3.5 / 3 / static_cast<double>(gib);
  house.slots_yaml = "max_gib: " + limit.str();
  auto const disk = std::make_shared<SlowDisk>();
  restart_on(house, disk);
  ASSERT_TRUE(eventually([&] { return house.log.count("states=3") == 1; }));
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
  house.chat("dora", story("dora", 10));
  ASSERT_TRUE(disk->gate.reached());
  auto const pruned = house.log.matching("event=prune");
  ASSERT_EQ(pruned.size(), 1U);
  EXPECT_NE(pruned.front().find(session::state_id("ben")), std::string::npos);
  disk->gate.open();
  EXPECT_TRUE(eventually([&] { return house.files(".bin").size() == 2; }));
}

TEST(Room, at_the_end_the_last_times_of_use_are_written_down) {
  House house;
  leave_saved(house, {"anna", "ben"});
  house.restart_proxy();
  std::string const too_long(20'000 * 9, 'x');
  // Restored, and refused then: nothing that would be saved again.
  for (int times = 0; times < 2; ++times) {
    for (auto const* name : {"anna", "ben"}) EXPECT_EQ(house.chat(name, too_long).status, 400);
  }
  auto const noted = [&] {
    auto const manifest = manifest_of(house.folder, "anna");
    return manifest ? manifest->uses : 0;
  };
  // The first use at once, the others within the minute not.
  EXPECT_TRUE(eventually([&] { return noted() == 1; }));
  auto const before = manifest_of(house.folder, "anna")->last_used;
  house.proxy.reset();
  EXPECT_EQ(noted(), 2U);
  EXPECT_GE(manifest_of(house.folder, "anna")->last_used, before);
}

}  // namespace
}  // namespace slotswap::test
