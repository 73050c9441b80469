// What a run that was killed left in the folder: a save without its manifest, data that nobody
// names, files of others.
#include "sim/other_disk.hpp"
#include "sim/state_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>

namespace slotswap::test {
namespace {

namespace fs = std::filesystem;

fs::path in(House const& house, std::string const& name) {
  return house.folder.path() / name;
}

void start_proxy(House& house) {
  house.proxy = std::make_unique<RunningProxy>(house.yaml(), house.options());
}

/// The folder was read, once more than before.
void start_and_read(House& house) {
  auto const before = house.log.count("saved states found");
  start_proxy(house);
  ASSERT_TRUE(eventually([&] { return house.log.count("saved states found") > before; }));
}

std::string this_boot() {
  return read_file("/proc/sys/kernel/random/boot_id");
}

/// As a kill between the server's save of anna and the manifest's rename leaves it: her data, and
/// the save in the state file.
store::Manifest leave_uncommitted(House& house, std::string const& boot) {
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  house.proxy.reset();
  auto const manifest = manifest_of(house.folder, "anna");
  EXPECT_TRUE(manifest);
  fs::remove(manifest_path(house.folder, "anna"));
  store::SlotBook book;
  book.boot = boot;
  if (manifest) book.saves.emplace(manifest->key, *manifest);
  write_file(state_file(house.folder), store::to_json(book));
  return manifest.value_or(store::Manifest());
}

TEST(Leftover, a_save_of_this_boot_is_committed_by_the_next_start) {
  House house;
  auto const manifest = leave_uncommitted(house, this_boot());
  start_and_read(house);
  auto const now = manifest_of(house.folder, "anna");
  ASSERT_TRUE(now);
  EXPECT_EQ(now->data, manifest.data);
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
}

TEST(Leftover, a_session_that_comes_before_its_left_save_is_committed_waits_for_it) {
  House house;
  for (auto const* name : {"anna", "ben"}) house.chat(name, story(name, 50));
  ASSERT_TRUE(eventually([&] { return manifest_of(house.folder, "anna").has_value(); }));
  auto const older = *manifest_of(house.folder, "anna");
  auto const data = in(house, older.data);
  auto const copy = in(house, "copy");
  fs::copy_file(data, copy);
  fs::last_write_time(copy, fs::last_write_time(data));
  leave_uncommitted(house, this_boot());
  fs::rename(copy, data);
  write_file(manifest_path(house.folder, "anna"), store::to_json(older));
  auto const disk = std::make_shared<SlowDisk>();
  restart_on(house, disk);
  ASSERT_TRUE(disk->gate.reached());
  auto reply =
      std::async(std::launch::async, [&] { return house.chat("anna", story("anna", 101)).reused; });
  ASSERT_TRUE(eventually([&] { return house.log.count("state=ready") == 2; }));
  disk->gate.open();
  EXPECT_GE(reply.get(), 99);
}

/// What was in the folder at first is told when the gate is open.
class SlowList : public OtherDisk {
 public:
  Result<std::vector<std::string>> list(Text folder) override {
    auto names = OtherDisk::list(folder);
    gate.pass();
    return names;
  }
  Gate gate;
};

TEST(Leftover, data_that_was_replaced_while_the_folder_was_read_goes_too) {
  House house;
  for (auto const* name : {"anna", "ben", "anna"}) house.chat(name, story(name, 50));
  ASSERT_TRUE(noted_dirty(house.folder, "anna"));
  ASSERT_TRUE(eventually([&] { return manifest_of(house.folder, "ben").has_value(); }));
  auto const older = manifest_of(house.folder, "anna");
  ASSERT_TRUE(older);
  // The slot still holds her: nobody looks for her state before she is saved.
  auto const book = state_text(house.folder);
  auto const data = read_file(in(house, older->data));
  auto const manifest = read_file(manifest_path(house.folder, "anna"));
  house.proxy.reset();
  for (auto const& name : house.files(".bin")) {
    if (name != older->data && name.find(older->key.id) != std::string::npos)
      fs::remove(in(house, name));
  }
  write_file(in(house, older->data), data);
  write_file(manifest_path(house.folder, "anna"), manifest);
  write_file(state_file(house.folder), book);
  auto const disk = std::make_shared<SlowList>();
  restart_on(house, disk);
  ASSERT_TRUE(disk->gate.reached());
  house.chat("ben", story("ben", 51));
  ASSERT_TRUE(eventually([&] {
    auto const now = manifest_of(house.folder, "anna");
    return now && now->data != older->data;
  }));
  EXPECT_TRUE(fs::exists(in(house, older->data)));
  disk->gate.open();
  EXPECT_TRUE(eventually([&] { return !fs::exists(in(house, older->data)); }));
  EXPECT_TRUE(manifest_of(house.folder, "anna").has_value());
}

TEST(Leftover, a_save_of_another_boot_is_not_believed_and_its_data_goes) {
  House house;
  auto const manifest = leave_uncommitted(house, "another boot");
  start_and_read(house);
  EXPECT_FALSE(fs::exists(manifest_path(house.folder, "anna")));
  EXPECT_TRUE(fs::exists(in(house, manifest.data)));
  EXPECT_EQ(house.log.count("states=1 "), 1U);
  EXPECT_EQ(house.log.count("leftovers=1"), 1U);
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  EXPECT_TRUE(eventually([&] { return !fs::exists(in(house, manifest.data)); }));
}

TEST(Leftover, a_save_whose_data_is_cut_is_not_committed) {
  House house;
  auto const manifest = leave_uncommitted(house, this_boot());
  fs::resize_file(in(house, manifest.data), manifest.bytes - 1);
  start_and_read(house);
  EXPECT_FALSE(fs::exists(manifest_path(house.folder, "anna")));
  EXPECT_EQ(house.chat("anna", story("anna", 101)).status, 200);
  EXPECT_EQ(house.sim->book().crashes, 0U);
}

// The state file still lists the last save when its manifest is in place: what was noted there
// since must not be undone.
TEST(Leftover, a_save_that_was_committed_keeps_its_manifest_as_it_is) {
  House house("verify: checksum");
  house.chat("anna", story("anna", 100));
  house.proxy.reset();
  auto const before = read_file(manifest_path(house.folder, "anna"));
  EXPECT_NE(before.find("checksum"), std::string::npos);
  start_and_read(house);
  house.proxy.reset();
  EXPECT_EQ(read_file(manifest_path(house.folder, "anna")), before);
}

TEST(Leftover, a_committed_file_that_was_changed_since_is_not_taken_for_the_save) {
  House house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  house.proxy.reset();
  // Another time of change, and no checksum to prove the bytes.
  auto const data = in(house, manifest_of(house.folder, "ben")->data);
  fs::last_write_time(data, fs::last_write_time(data) + std::chrono::seconds(1));
  house.sim->start_again();
  start_and_read(house);
  house.chat("ben", story("ben", 101));
  EXPECT_EQ(house.sim->book().count("POST", "/slots/0?action=restore"), 0U);
}

/// Two sessions that were saved, and slotswap is gone.
void leave_two(House& house) {
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  house.proxy.reset();
}

TEST(Leftover, data_without_a_manifest_goes_once_the_server_has_answered_a_slot_call) {
  House house;
  leave_two(house);
  auto const left = store::data_name(key_of("carl"), 7);
  auto const beside = store::data_name(key_of("anna"), 7);
  write_file(in(house, left), "a save that was cut");
  write_file(in(house, beside), "an older state");
  start_and_read(house);
  EXPECT_EQ(house.log.count("leftovers=2"), 1U);
  // Held since before the restart: no slot call is needed.
  house.chat("ben", story("ben", 101));
  EXPECT_TRUE(fs::exists(in(house, left)));
  EXPECT_TRUE(fs::exists(in(house, beside)));
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
  EXPECT_TRUE(eventually([&] { return !fs::exists(in(house, left)); }));
  EXPECT_TRUE(eventually([&] { return !fs::exists(in(house, beside)); }));
}

TEST(Leftover, what_is_not_surely_one_stays) {
  House house;
  leave_two(house);
  auto const of_carl = {store::data_name(key_of("carl"), 7), store::data_name(key_of("carl"), 8),
                        store::manifest_name(key_of("carl"))};
  auto const of_dora = {store::data_name(key_of("dora"), 7), store::manifest_name(key_of("dora"))};
  // Of a slotswap with a clock ahead of ours, perhaps under way right now.
  auto const newer = {store::data_name(key_of("emil"), 0x7000'0000'0000'0000)};
  auto const foreign = {key_of("fritz").text() + ".bin", std::string("notes.txt"),
                        key_of("fritz").text() + "-007.bin"};
  std::vector<std::string> all;
  for (auto const& some : {of_carl, of_dora}) all.insert(all.end(), some.begin(), some.end());
  all.insert(all.end(), newer.begin(), newer.end());
  all.insert(all.end(), foreign.begin(), foreign.end());
  for (auto const& name : all) write_file(in(house, name), "rubbish");
  start_and_read(house);
  for (auto const* name : {"anna", "ben", "carl", "dora"})
    EXPECT_EQ(house.chat(name, story(name, 100)).status, 200);
  house.proxy.reset();
  for (auto const& name : foreign) EXPECT_TRUE(fs::exists(in(house, name))) << name;
  for (auto const& name : newer) EXPECT_TRUE(fs::exists(in(house, name))) << name;
  // Replaced by now, where the session was saved anew; nothing else takes what a manifest may name.
  for (auto const& name : of_carl) EXPECT_TRUE(fs::exists(in(house, name))) << name;
  for (auto const& name : of_dora) EXPECT_TRUE(fs::exists(in(house, name))) << name;
}

TEST(Leftover, a_manifest_that_never_came_into_place_goes) {
  House house;
  leave_two(house);
  auto const name = store::unfinished_name(key_of("carl"));
  write_file(in(house, name), "half a manif");
  start_and_read(house);
  EXPECT_TRUE(eventually([&] { return !fs::exists(in(house, name)); }));
}

}  // namespace
}  // namespace slotswap::test
