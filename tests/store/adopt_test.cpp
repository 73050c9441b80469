// Another's file becomes a state of ours, or stays what it was.
#include "samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slotswap::store {
namespace {

using testing::HasSubstr;

std::string const folder = "/slots";
Folders const folders(folder, folder);
StateKey const foreign{"a_story-00112233", sample_id};
std::string const their_file = folder + "/" + foreign_name(foreign);

std::string words(std::vector<std::uint32_t> const& all) {
  std::string text;
  for (auto const word : all) {
    for (auto shift = 0U; shift < 32; shift += 8) text += static_cast<char>((word >> shift) & 255U);
  }
  return text;
}

std::string const slot_file = words({0x67677371, 4, 5, ~0U, 1, 2, 70, 71}) + "the cache";

Manifest wanted() {
  auto manifest = sample_manifest(sample_key, 7, 1);
  manifest.tokens = 0;
  return manifest;
}

MemoryFileSystem with_their_file() {
  MemoryFileSystem files;
  files.put(their_file, slot_file);
  files.sync_all();
  return files;
}

/// Whether the file is a state of ours, whole; else whether it is still theirs, whole.
enum class Whose { theirs, ours, nobodys };
Whose whose(MemoryFileSystem& files) {
  auto const found = offered(files, folders, true);
  if (found.states.size() == 1 && files.content(folder + "/" + found.states[0].data) == slot_file)
    return Whose::ours;
  return files.content(their_file) == slot_file ? Whose::theirs : Whose::nobodys;
}

TEST(Adopt, takes_over_the_file_with_its_tokens_size_time_and_checksum) {
  for (auto const with_checksum : {false, true}) {
    auto files = with_their_file();
    auto const done = adopt(files, folders, foreign, wanted(), with_checksum);
    ASSERT_TRUE(done) << done.error().detail;
    EXPECT_EQ(done->tokens, 2);
    EXPECT_EQ(done->bytes, slot_file.size());
    EXPECT_EQ(done->checksum.has_value(), with_checksum);
    EXPECT_FALSE(files.content(their_file));
    EXPECT_EQ(whose(files), Whose::ours);
  }
}

TEST(Adopt, leaves_what_it_does_not_know) {
  struct Row {
    std::string content;
    char const* why;
  };
  for (auto const& row : {
           Row{"", "too short"},
           Row{slot_file.substr(0, 20), "too short"},
           Row{words({0x67677372, 4, 5, ~0U, 1, 2}), "does not begin as one"},
           Row{words({0x67677371, 2, 5, ~0U, 1, 2}), "its version is 2"},
           Row{words({0x67677371, 4, 5, 0, 1, 2}), "another form"},
           Row{words({0x67677371, 4, 5, ~0U, 1, 0}), "holds no tokens"},
           Row{words({0x67677371, 4, 5, ~0U, 1, ~0U}), "holds no tokens"},
       }) {
    MemoryFileSystem files;
    files.put(their_file, row.content);
    auto const done = adopt(files, folders, foreign, wanted(), true);
    ASSERT_FALSE(done);
    EXPECT_THAT(done.error().detail, HasSubstr(row.why));
    EXPECT_EQ(files.content(their_file), row.content);
    EXPECT_FALSE(files.content(folder + "/" + manifest_name(sample_key)));
  }
}

TEST(Adopt, never_replaces_a_state_of_ours) {
  auto files = with_their_file();
  auto const ours = sample_manifest(sample_key, 3, 4);
  put_data(files, folder, ours, "ours");
  ASSERT_TRUE(commit(files, folders, ours, {}, false));
  auto const done = adopt(files, folders, foreign, wanted(), false);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, "exists");
  EXPECT_EQ(files.content(their_file), slot_file);
  EXPECT_EQ(offered(files, folders).states.at(0).data, ours.data);
}

TEST(Adopt, stopped_or_failing_at_any_step_loses_nothing_and_can_be_done_again) {
  for (std::size_t step = 0; step < 12; ++step) {
    for (unsigned seed = 0; seed < 60; ++seed) {
      for (auto const stop : {true, false}) {
        SCOPED_TRACE("step " + std::to_string(step) + ", seed " + std::to_string(seed));
        auto files = with_their_file();
        if (stop) {
          files.stop_at(step);
        } else {
          files.fail_at(step, seed % 2 == 0 ? Failing::undone : Failing::done);
        }
        try {
          (void)adopt(files, folders, foreign, wanted(), true);
        } catch (MemoryFileSystem::Stopped const&) {
        }
        files.crash(seed == 0 ? Crash::drops_all : Crash::drops_some, seed);
        ASSERT_NE(whose(files), Whose::nobodys);
        // A start of slotswap in between must not take it for a leftover.
        auto const found = scan(files, folders);
        ASSERT_TRUE(found);
        ASSERT_TRUE(found->unnamed.empty());
        if (whose(files) == Whose::theirs) {
          auto const again = adopt(files, folders, foreign, wanted(), true);
          ASSERT_TRUE(again) << again.error().detail;
        }
        ASSERT_EQ(whose(files), Whose::ours);
      }
    }
  }
}

TEST(ForeignFiles, are_those_of_one_tag) {
  auto files = with_their_file();
  StateKey const other{"a_story-00112233", std::string(32, 'f')};
  StateKey const others{"another-00112233", sample_id};
  for (auto const& key : {other, others}) files.put(folder + "/" + foreign_name(key), "x");
  files.put(folder + "/" + data_name(foreign, 7), "ours");
  files.put(folder + "/notes.txt", "x");
  auto const found = foreign_files(files, folders, foreign.tag);
  ASSERT_TRUE(found);
  EXPECT_THAT(*found, testing::ElementsAre(foreign, other));
}

TEST(Locks, are_taken_of_both_folders_or_of_none) {
  MemoryFileSystem files;
  Folders const two("/slots", "/ours");
  {
    auto const held = files.lock("/slots/slotswap.lock");
    auto const refused = lock(files, two);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "held");
    EXPECT_TRUE(files.lock("/ours/slotswap.lock"));
  }
  auto const taken = lock(files, two);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->size(), 2U);
  EXPECT_FALSE(lock(files, folders));
}

}  // namespace
}  // namespace slotswap::store
