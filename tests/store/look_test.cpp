// What is looked at before a file is handed to a server that believes it.
#include "samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slotswap::store {
namespace {

using testing::HasSubstr;
using Verdict = Look::Verdict;

std::string const folder = "/slots";
Folders const folders(folder, folder);
std::string const data = "what was saved";
Manifest const state = sample_manifest(sample_key, 1, data.size());
std::string const file = folder + "/" + state.data;
std::string const manifest_file = folder + "/" + manifest_name(sample_key);

/// A committed state; with `checksum` noted.
MemoryFileSystem saved(bool checksum) {
  MemoryFileSystem files;
  put_data(files, folder, state, data);
  EXPECT_TRUE(commit(files, folders, state, {}, checksum));
  return files;
}

struct Row {
  char const* what;
  void (*spoil)(MemoryFileSystem&);
  Verdict by_stat;      // no checksum noted, none asked for
  Verdict by_noted;     // one noted, not asked for
  Verdict by_checksum;  // one noted and asked for
};

std::string flipped() {
  auto other = data;
  other[3] = '#';
  return other;
}

Row const rows[] = {
    {"whole", [](MemoryFileSystem&) {}, Verdict::good, Verdict::good, Verdict::good},
    {"gone", [](MemoryFileSystem& f) { (void)f.remove(file); }, Verdict::gone, Verdict::gone,
     Verdict::gone},
    {"cut", [](MemoryFileSystem& f) { f.put(file, data.substr(1)); }, Verdict::damaged,
     Verdict::damaged, Verdict::damaged},
    {"longer", [](MemoryFileSystem& f) { f.put(file, data + "!"); }, Verdict::damaged,
     Verdict::damaged, Verdict::damaged},
    {"put back", [](MemoryFileSystem& f) { f.put(file, data); }, Verdict::changed, Verdict::good,
     Verdict::good},
    {"flipped", [](MemoryFileSystem& f) { f.put(file, flipped()); }, Verdict::changed,
     Verdict::damaged, Verdict::damaged},
    {"flipped in place",
     [](MemoryFileSystem& f) {
       f.put(file, flipped());
       f.set_mtime(file, state.mtime_ns);
     },
     Verdict::good, Verdict::good, Verdict::damaged},
    {"a link", [](MemoryFileSystem& f) { f.set_irregular(file); }, Verdict::changed,
     Verdict::changed, Verdict::changed},
    {"linked", [](MemoryFileSystem& f) { f.set_links(file, 2); }, Verdict::changed,
     Verdict::changed, Verdict::changed},
    {"not readable", [](MemoryFileSystem& f) { f.set_unreadable(file); }, Verdict::good,
     Verdict::good, Verdict::good},
    {"not readable and put back",
     [](MemoryFileSystem& f) {
       f.put(file, data);
       f.set_unreadable(file);
     },
     Verdict::changed, Verdict::changed, Verdict::changed},
    {"no manifest", [](MemoryFileSystem& f) { (void)f.remove(manifest_file); }, Verdict::gone,
     Verdict::gone, Verdict::gone},
    {"rubbish for a manifest", [](MemoryFileSystem& f) { f.put(manifest_file, "{]"); },
     Verdict::gone, Verdict::gone, Verdict::gone},
};

TEST(LookBeforeRestore, says_what_the_state_is) {
  for (auto const& row : rows) {
    SCOPED_TRACE(row.what);
    auto const verdict = [&](bool noted, bool asked) {
      auto files = saved(noted);
      row.spoil(files);
      auto const look = look_before_restore(files, folders, sample_key, std::nullopt, asked);
      EXPECT_EQ(look.reason.empty(), look.verdict == Verdict::good ||
                                         std::string(row.what) == "gone" ||
                                         std::string(row.what) == "no manifest")
          << look.reason;
      return look.verdict;
    };
    EXPECT_EQ(verdict(false, false), row.by_stat);
    EXPECT_EQ(verdict(true, false), row.by_noted);
    EXPECT_EQ(verdict(true, true), row.by_checksum);
    // What has no checksum is told by size and time.
    EXPECT_EQ(verdict(false, true), row.by_stat);
  }
}

TEST(LookBeforeRestore, a_backup_that_was_put_back_has_its_new_time_from_then_on) {
  auto files = saved(true);
  files.put(file, data);
  auto const look = look_before_restore(files, folders, sample_key, std::nullopt, false);
  ASSERT_EQ(look.verdict, Verdict::good);
  EXPECT_NE(look.manifest.mtime_ns, state.mtime_ns);
  files.calls.clear();
  EXPECT_EQ(look_before_restore(files, folders, sample_key, look.manifest, false).verdict,
            Verdict::good);
  EXPECT_THAT(files.calls, testing::ElementsAre("stat " + state.data));
}

TEST(LookBeforeRestore, a_disk_that_fails_offers_nothing) {
  for (std::size_t step = 0; step < 3; ++step) {
    for (auto const how : {Failing::undone, Failing::denied}) {
      auto files = saved(true);
      files.fail_at(step, how);
      auto const look = look_before_restore(files, folders, sample_key, std::nullopt, true);
      // Where the bytes may not be read, size and time count.
      auto const by_stat = step == 2 && how == Failing::denied;
      EXPECT_EQ(look.verdict == Verdict::good, by_stat) << step;
    }
  }
}

}  // namespace
}  // namespace slotswap::store
