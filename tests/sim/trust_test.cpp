// A server believes any file of its form, so what is not what was saved never reaches it.
#include "sim/traces.hpp"
#include "sim/watched_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

namespace slotswap::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(fs::path const& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A saved state with its checksum known to the proxy that looks at it: one that was started after
/// it was written.
void talk_and_restart(House& house) {
  talk(house);
  house.restart_proxy();
}

/// Its data and the note beside it are there, and the state is gone.
void expect_set_aside(House& house, std::string const& file, std::string const& reason) {
  auto const aside = house.folder.path() / "quarantine";
  ASSERT_TRUE(eventually([&] { return fs::exists(aside / file); })) << file;
  EXPECT_NE(text_of(aside / (file + ".json")).find(reason), std::string::npos)
      << text_of(aside / (file + ".json"));
  EXPECT_EQ(lines_with(house, {"event=quarantine", file, "level=warning", reason}), 1U);
  EXPECT_FALSE(fs::exists(house.folder.path() / file));
  EXPECT_EQ(restores_of(house, file), 0U);
}

TEST(Trust, a_file_of_another_size_is_set_aside_and_the_session_goes_on) {
  for (int const change : {-1, -20'000, 1}) {
    SCOPED_TRACE(change);
    House house;
    talk(house);
    auto const file = data_of(house, "anna");
    auto const path = house.folder.path() / file;
    auto const bytes = static_cast<std::int64_t>(fs::file_size(path));
    fs::resize_file(path, static_cast<std::uintmax_t>(bytes + change));
    auto const reply = house.chat("anna", story("anna", 101));
    EXPECT_EQ(reply.status, 200);
    EXPECT_LT(reply.reused, 10);
    expect_set_aside(house, file,
                     std::to_string(bytes + change) + " bytes, not " + std::to_string(bytes));
    EXPECT_EQ(house.log.count("event=quarantine"), 1U);
    house.chat("ben", story("ben", 101));
    EXPECT_GE(house.chat("anna", story("anna", 102)).reused, 100);
  }
}

TEST(Trust, what_was_set_aside_does_not_fill_the_disk) {
  House house;
  std::vector<std::string> const names = {"anna", "ben", "carl", "dora", "emil", "fay"};
  for (auto const& name : names) house.chat(name, story(name, 30));
  house.chat("guest", story("guest", 30));
  ASSERT_TRUE(eventually([&] { return saved(house, names.back()); }));
  for (auto const& name : names) fs::resize_file(path_of(house, name), 40);
  for (auto const& name : names) EXPECT_EQ(house.chat(name, story(name, 30)).status, 200);
  house.proxy->stop();
  EXPECT_EQ(house.log.count("event=quarantine"), names.size());
  std::size_t notes = 0;
  std::size_t files = 0;
  for (auto const& entry : fs::directory_iterator(house.folder.path() / "quarantine"))
    ++(entry.path().extension() == ".json" ? notes : files);
  EXPECT_EQ(notes, 4U);
  EXPECT_EQ(files, 4U);
}

TEST(Trust, a_byte_that_changed_unseen_is_found_by_its_checksum) {
  House house("verify: checksum");
  talk_and_restart(house);
  auto const file = data_of(house, "anna");
  auto const path = house.folder.path() / file;
  auto const time = fs::last_write_time(path);
  flip_byte(path);
  fs::last_write_time(path, time);
  EXPECT_LT(house.chat("anna", story("anna", 101)).reused, 10);
  expect_set_aside(house, file, "other bytes than were saved");
}

TEST(Trust, without_a_checksum_a_changed_file_is_not_offered_and_stays_until_the_next_save) {
  for (auto const bytes_too : {true, false}) {
    House house("verify: stat");
    talk(house);
    auto const file = data_of(house, "anna");
    if (bytes_too) flip_byte(house.folder.path() / file);
    touch(house.folder.path() / file);
    EXPECT_LT(house.chat("anna", story("anna", 101)).reused, 10);
    EXPECT_EQ(restores_of(house, file), 0U);
    EXPECT_EQ(lines_with(house, {"event=restore", "result=miss", file + " was changed"}), 1U);
    EXPECT_EQ(house.log.count("event=quarantine"), 0U);
    EXPECT_TRUE(fs::exists(house.folder.path() / file));
    house.chat("ben", story("ben", 101));
    ASSERT_TRUE(eventually([&] { return !fs::exists(house.folder.path() / file); }));
    EXPECT_GE(house.chat("anna", story("anna", 102)).reused, 100);
  }
}

TEST(Trust, a_backup_that_was_put_back_is_known_by_its_checksum) {
  House house("verify: checksum");
  talk_and_restart(house);
  auto const file = data_of(house, "anna");
  touch(house.folder.path() / file);
  auto const misses = house.log.count("result=miss");
  for (std::size_t times = 1; times <= 2; ++times) {
    swap_in(house, "anna");
    EXPECT_EQ(restores_of(house, file), times);
    swap_in(house, "ben");
  }
  EXPECT_EQ(house.log.count("result=miss"), misses);
  EXPECT_EQ(house.log.count("event=quarantine"), 0U);
}

TEST(Trust, a_backup_is_read_through_once_where_only_its_time_is_asked_for) {
  House house("verify: checksum");
  talk_and_restart(house);
  house.slots_yaml = "verify: stat";
  auto const files = std::make_shared<WatchedFiles>();
  restart_on(house, files);
  auto const file = data_of(house, "anna");
  touch(house.folder.path() / file);
  for (std::size_t times = 1; times <= 2; ++times) {
    swap_in(house, "anna");
    EXPECT_EQ(restores_of(house, file), times);
    EXPECT_EQ(files->digests, 1);
    swap_in(house, "ben");
  }
}

/// What the last run left has been looked at.
void start_and_settle(House& house) {
  auto const starts = house.log.count("saved states found");
  house.restart_proxy();
  EXPECT_TRUE(eventually([&] { return house.log.count("saved states found") > starts; }));
}

TEST(Trust, a_restart_leaves_what_was_committed_as_it_is) {
  House house("verify: checksum");
  talk(house);
  house.proxy->stop();
  auto const before = manifest_of(house, "ben");
  EXPECT_NE(before.find(R"("checksum":")"), std::string::npos) << before;
  start_and_settle(house);
  EXPECT_EQ(manifest_of(house, "ben"), before);
}

TEST(Trust, a_file_that_was_changed_while_slotswap_was_down_is_not_taken_for_its_save) {
  House house("verify: stat");
  talk(house);
  house.proxy->stop();
  auto const file = data_of(house, "ben");
  flip_byte(house.folder.path() / file);
  touch(house.folder.path() / file);
  start_and_settle(house);
  // Ben is still in the slot.
  for (auto const* name : {"anna", "ben"}) swap_in(house, name);
  EXPECT_EQ(restores_of(house, data_of(house, "anna")), 1U);
  EXPECT_EQ(restores_of(house, file), 0U);
  EXPECT_EQ(lines_with(house, {"event=restore", "result=miss", file + " was changed"}), 1U);
}

TEST(Trust, a_file_that_was_deleted_is_a_miss_and_nothing_to_warn_of) {
  House house;
  talk(house);
  auto const file = data_of(house, "anna");
  fs::remove(house.folder.path() / file);
  auto const reply = house.chat("anna", story("anna", 101));
  EXPECT_EQ(reply.status, 200);
  EXPECT_LT(reply.reused, 10);
  EXPECT_EQ(restores_of(house, file), 0U);
  EXPECT_EQ(lines_with(house, {"event=restore", "result=miss"}), 3U);  // each one's first as well
  house.chat("ben", story("ben", 101));
  EXPECT_GE(house.chat("anna", story("anna", 102)).reused, 100);
  EXPECT_EQ(house.log.count("level=warning"), 0U);
}

TEST(Trust, rubbish_in_place_of_a_manifest_is_a_miss_until_the_next_save) {
  House house;
  talk(house);
  auto const file = data_of(house, "anna");
  house.proxy->stop();
  std::ofstream(manifest_path(house, "anna")) << "{]";
  house.restart_proxy();
  auto const reply = house.chat("anna", story("anna", 101));
  EXPECT_EQ(reply.status, 200);
  EXPECT_LT(reply.reused, 10);
  EXPECT_EQ(restores_of(house, file), 0U);
  EXPECT_EQ(lines_with(house, {"event=restore", "result=miss", ".json: "}), 1U);
  house.chat("ben", story("ben", 101));
  EXPECT_GE(house.chat("anna", story("anna", 102)).reused, 100);
  house.chat("ben", story("ben", 102));
  house.restart_proxy();
  EXPECT_GE(house.chat("anna", story("anna", 103)).reused, 101);
}

TEST(Trust, a_state_that_is_used_before_its_checksum_is_taken_gets_it_all_the_same) {
  House house("verify: checksum");
  std::promise<void> slow_disk;
  auto const files = std::make_shared<WatchedFiles>();
  files->gate = slow_disk.get_future().share();
  restart_on(house, files);
  for (auto const* name : {"anna", "ben"}) house.chat(name, story(name, 100));
  swap_in(house, "anna");
  EXPECT_EQ(restores_of(house, data_of(house, "anna")), 1U);
  slow_disk.set_value();
  house.proxy->stop();
  EXPECT_TRUE(saved(house, "anna"));
  EXPECT_NE(manifest_of(house, "anna").find(R"("checksum":")"), std::string::npos)
      << manifest_of(house, "anna");
}

// As another user's with umask 077 are. The real disk cannot be made so for root.
TEST(Trust, files_that_cannot_be_read_are_made_durable_all_the_same) {
  House house("verify: checksum");
  auto const files = std::make_shared<WatchedFiles>();
  files->unreadable = true;
  restart_on(house, files);
  talk(house);
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
  EXPECT_GE(house.chat("ben", story("ben", 101)).reused, 99);
  house.proxy->stop();
  EXPECT_TRUE(saved(house, "anna"));
  EXPECT_TRUE(saved(house, "ben"));
  EXPECT_GE(files->system_syncs, 2);
  EXPECT_EQ(files->digests, 0);
  EXPECT_EQ(lines_with(house, {"level=warning", "cannot be read by this process"}), 1U);
  EXPECT_EQ(house.log.count("level=warning"), 1U);
}

}  // namespace
}  // namespace slotswap::test
