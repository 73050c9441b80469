#include "memory_file_system.hpp"
#include "samples.hpp"

#include <slotswap/store/folder.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slotswap::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string const folder = "/slots";
Folders const folders(folder, folder);
std::string path(std::string const& name) {
  return folder + "/" + name;
}

Manifest const old_state = sample_manifest(sample_key, 1, 3);
Manifest const new_state = sample_manifest(sample_key, 2, 5);
std::string const place = manifest_name(sample_key);
std::string const beside = unfinished_name(sample_key);

/// The old state on the disk, the new one just saved by the server.
MemoryFileSystem saved() {
  MemoryFileSystem files;
  files.put(path(old_state.data), "old");
  files.put(path(place), to_json(old_state));
  files.sync_all();
  files.put(path(new_state.data), "newer");
  return files;
}

TEST(CheckSaved, takes_what_the_server_says_it_wrote) {
  auto files = saved();
  auto manifest = new_state;
  manifest.mtime_ns = 0;
  ASSERT_TRUE(check_saved(files, folders, manifest));
  EXPECT_GT(manifest.mtime_ns, 0);
}

TEST(CheckSaved, a_file_that_is_not_there_means_another_folder) {
  MemoryFileSystem files;
  auto manifest = new_state;
  auto const checked = check_saved(files, folders, manifest);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, "missing");
  EXPECT_THAT(checked.error().detail, HasSubstr("another folder"));
  EXPECT_EQ(manifest.mtime_ns, new_state.mtime_ns);
}

TEST(CheckSaved, refuses_what_is_not_that_file) {
  struct Row {
    void (*spoil)(MemoryFileSystem&);
    char const* why;
  };
  for (auto const& row :
       {Row{[](MemoryFileSystem& f) { f.put(path(new_state.data), "newe"); }, "4 bytes, not 5"},
        Row{[](MemoryFileSystem& f) { f.put(path(new_state.data), "newer!"); }, "6 bytes, not 5"},
        Row{[](MemoryFileSystem& f) { f.set_links(path(new_state.data), 2); }, "2 links"},
        Row{[](MemoryFileSystem& f) { f.set_irregular(path(new_state.data)); }, "not a regular"}}) {
    auto files = saved();
    row.spoil(files);
    auto manifest = new_state;
    auto const checked = check_saved(files, folders, manifest);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, "bad_save");
    EXPECT_THAT(checked.error().detail, HasSubstr(row.why));
  }
}

TEST(Commit, does_its_steps_in_the_only_safe_order) {
  auto files = saved();
  auto const done = commit(files, folders, new_state, {old_state.data}, false);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->problem, "");
  EXPECT_THAT(files.calls,
              ElementsAre("sync_file " + new_state.data, "remove " + beside, "write_new " + beside,
                          "sync_folder slots", "rename " + beside, "sync_folder slots",
                          "remove " + old_state.data));
  EXPECT_EQ(files.content(path(place)), to_json(new_state));
}

TEST(Commit, a_time_of_use_is_written_without_touching_the_data) {
  auto files = saved();
  auto used = old_state;
  used.last_used += 60;
  for (auto again = 0; again < 2; ++again) {
    files.calls.clear();
    ASSERT_TRUE(rewrite(files, folders, used));
    EXPECT_THAT(files.calls, testing::Each(testing::Not(HasSubstr(old_state.data))));
    EXPECT_EQ(files.content(path(place)), to_json(used));
    EXPECT_EQ(files.content(path(old_state.data)), "old");
  }
}

TEST(Commit, syncs_all_where_the_data_may_not_be_opened) {
  auto files = saved();
  files.set_unreadable(path(new_state.data));
  ASSERT_TRUE(commit(files, folders, new_state, {old_state.data}, false));
  EXPECT_EQ(files.calls[1], "sync_file_system slots");
  files.crash(Crash::drops_all);
  EXPECT_EQ(files.content(path(new_state.data)), "newer");
}

TEST(Commit, refuses_what_could_not_be_read_back_and_touches_nothing) {
  auto no_tokens = new_state;
  no_tokens.tokens = 0;
  auto no_text = new_state;
  no_text.model = "\xFF";
  auto not_its_own = new_state;
  not_its_own.data = data_name({sample_tag, std::string(32, 'f')}, 2);
  for (auto const& manifest : {no_tokens, no_text, not_its_own}) {
    auto files = saved();
    auto const done = commit(files, folders, manifest, {old_state.data}, false);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "bad_manifest");
    EXPECT_TRUE(files.calls.empty());
  }
}

TEST(Commit, never_removes_a_file_that_is_not_the_sessions) {
  for (auto const& replaced : {std::string("notes.txt"), sample_key.text() + ".bin",
                               data_name({sample_tag, std::string(32, 'f')}, 1)}) {
    auto files = saved();
    ASSERT_FALSE(commit(files, folders, new_state, {old_state.data, replaced}, false));
    EXPECT_TRUE(files.calls.empty());
  }
}

TEST(Commit, a_rename_that_is_done_but_told_as_failed_is_done) {
  auto files = saved();
  files.fail_at(4, Failing::done);
  ASSERT_TRUE(commit(files, folders, new_state, {old_state.data}, false));
  EXPECT_EQ(files.content(path(place)), to_json(new_state));
  EXPECT_FALSE(files.content(path(old_state.data)));
}

TEST(Commit, says_that_it_cannot_know_when_the_manifest_cannot_be_read_after_a_failed_rename) {
  auto files = saved();
  files.set_unreadable(path(place));
  files.fail_at(4, Failing::undone);
  auto const done = commit(files, folders, new_state, {old_state.data}, false);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, "uncertain");
  EXPECT_TRUE(files.content(path(old_state.data)));
  EXPECT_TRUE(files.content(path(new_state.data)));
}

TEST(Commit, an_unsynced_rename_keeps_the_old_data) {
  auto files = saved();
  files.fail_at(5, Failing::undone);
  auto const done = commit(files, folders, new_state, {old_state.data}, false);
  ASSERT_TRUE(done);
  EXPECT_THAT(done->problem, HasSubstr(old_state.data + " stays"));
  EXPECT_TRUE(files.content(path(old_state.data)));
}

TEST(RemoveState, takes_the_manifest_first) {
  auto files = saved();
  ASSERT_TRUE(remove_state(files, folders, old_state));
  EXPECT_THAT(files.calls, ElementsAre("read " + place, "remove " + place, "sync_folder slots",
                                       "remove " + old_state.data));
}

TEST(RemoveState, leaves_a_manifest_that_names_other_data_by_now) {
  auto files = saved();
  ASSERT_TRUE(commit(files, folders, new_state, {}, false));
  ASSERT_TRUE(remove_state(files, folders, old_state));
  EXPECT_EQ(files.content(path(place)), to_json(new_state));
  EXPECT_TRUE(files.content(path(new_state.data)));
  EXPECT_FALSE(files.content(path(old_state.data)));
}

TEST(RemoveState, what_is_gone_already_is_no_fault) {
  MemoryFileSystem files;
  EXPECT_TRUE(remove_state(files, folders, old_state));
}

TEST(RemoveState, never_removes_a_file_that_is_not_the_sessions) {
  auto files = saved();
  auto manifest = old_state;
  manifest.data = "../" + old_state.data;
  EXPECT_FALSE(remove_state(files, folders, manifest));
  EXPECT_TRUE(files.calls.empty());
}

}  // namespace
}  // namespace slotswap::store
