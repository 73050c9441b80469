// Every step of commit and remove_state is the last one once, and every one fails once; then the
// disk forgets. Whatever it forgets, the old or the new state must stand, whole.
#include "memory_file_system.hpp"
#include "samples.hpp"

#include <slotswap/store/folder.hpp>

#include <gtest/gtest.h>

#include <functional>

namespace slotswap::store {
namespace {

std::string const folder = "/slots";
Folders const folders(folder, folder);
std::string path(std::string const& name) {
  return folder + "/" + name;
}

constexpr std::size_t more_than_all_steps = 20;
constexpr unsigned seeds = 200;

std::string const old_data = "what the session held before";
std::string const new_data = "what it holds now, and that is more";
Manifest const old_state = sample_manifest(sample_key, 1, old_data.size());
Manifest const new_state = sample_manifest(sample_key, 2, new_data.size());

enum class Stands { none, old_one, new_one, damaged };

/// What a start would offer. A problem, or data other than what was saved, is damage.
Stands stands(MemoryFileSystem& files) {
  auto const found = offered(files, folders);
  if (!found.problems.empty() || found.states.size() > 1) return Stands::damaged;
  if (found.states.empty()) return Stands::none;
  auto const& state = found.states[0];
  auto const content = files.content(path(state.data));
  auto const is = [&](Manifest expected, std::string const& data) {
    expected.checksum = state.checksum;
    return to_json(state) == to_json(expected) && content == data;
  };
  if (is(old_state, old_data)) return Stands::old_one;
  if (is(new_state, new_data)) return Stands::new_one;
  return Stands::damaged;
}

/// As the server leaves it: the new data written, nothing of it synced.
void set_up(MemoryFileSystem& files, bool with_old_state) {
  if (with_old_state) {
    put_data(files, folder, old_state, old_data);
    files.put(path(manifest_name(sample_key)), to_json(old_state));
    files.sync_all();
  }
  put_data(files, folder, new_state, new_data);
}

/// A start removes what it may; then what an earlier end left is in nobody's way.
void recover(MemoryFileSystem& files) {
  auto const found = scan(files, folders);
  if (!found) return;
  for (auto const& name : found->unfinished) (void)files.remove(path(name));
  for (auto const& name : found->unnamed) (void)remove_leftover(files, folders, name);
}

bool goes_on(MemoryFileSystem& files) {
  auto const content = std::string("the next turn");
  auto const next = sample_manifest(sample_key, 3, content.size());
  put_data(files, folder, next, content);
  if (!commit(files, folders, next, {}, false)) return false;
  files.crash(Crash::drops_all);
  auto const found = offered(files, folders);
  return found.problems.empty() && found.states.size() == 1 &&
         to_json(found.states[0]) == to_json(next) && found.scan.unfinished.empty();
}

struct Ending {
  Crash kind;
  unsigned seed;
};

std::vector<Ending> endings() {
  std::vector<Ending> all{{Crash::keeps_all, 0}, {Crash::drops_all, 0}};
  for (unsigned seed = 0; seed < seeds; ++seed) all.push_back({Crash::drops_some, seed});
  return all;
}

using Work = std::function<bool(MemoryFileSystem&)>;
Work const committing = [](MemoryFileSystem& files) {
  return commit(files, folders, new_state, {old_state.data}, false).has_value();
};
Work const committing_with_checksum = [](MemoryFileSystem& files) {
  return commit(files, folders, new_state, {old_state.data}, true).has_value();
};
Work const committing_first = [](MemoryFileSystem& files) {
  return commit(files, folders, new_state, {}, false).has_value();
};
Work const recovering = [](MemoryFileSystem& files) {
  recover(files);
  return true;
};
Work const setting_aside = [](MemoryFileSystem& files) {
  return quarantine(files, folders, old_state, "it has other bytes").has_value();
};
Work const removing = [](MemoryFileSystem& files) {
  return remove_state(files, folders, old_state).has_value();
};

/// Stops the work at each of its steps, under each ending; `judge` gets what stands and whether the
/// work came to its end. Returns how many steps the work has.
std::size_t stop_everywhere(Work const& work, bool with_old_state,
                            std::function<void(Stands, bool)> const& judge) {
  for (std::size_t step = 0; step < more_than_all_steps; ++step) {
    auto finished = false;
    for (auto const& ending : endings()) {
      SCOPED_TRACE("step " + std::to_string(step) + ", seed " + std::to_string(ending.seed));
      MemoryFileSystem files;
      set_up(files, with_old_state);
      files.stop_at(step);
      try {
        finished = work(files);
        EXPECT_TRUE(finished);
      } catch (MemoryFileSystem::Stopped const&) {
        finished = false;
      }
      files.crash(ending.kind, ending.seed);
      judge(stands(files), finished);
      auto const before = stands(files);
      recover(files);
      EXPECT_EQ(stands(files), before);
      EXPECT_TRUE(goes_on(files));
      if (testing::Test::HasFailure()) return step;
    }
    if (finished) return step;
  }
  ADD_FAILURE() << "the work never came to its end";
  return 0;
}

TEST(CrashAtEveryStep, of_a_commit_leaves_the_old_or_the_new_state) {
  auto const steps = stop_everywhere(committing, true, [](Stands found, bool finished) {
    if (finished) {
      EXPECT_EQ(found, Stands::new_one);
    } else {
      EXPECT_TRUE(found == Stands::old_one || found == Stands::new_one) << static_cast<int>(found);
    }
  });
  EXPECT_EQ(steps, 7U);
}

TEST(CrashAtEveryStep, of_a_commit_with_a_checksum_leaves_the_old_or_the_new_state) {
  auto const steps =
      stop_everywhere(committing_with_checksum, true, [](Stands found, bool finished) {
        EXPECT_TRUE(found == Stands::new_one || (!finished && found == Stands::old_one));
      });
  EXPECT_EQ(steps, 8U);
}

TEST(CrashAtEveryStep, of_a_recovery_leaves_the_state) {
  auto const leave_all = [](MemoryFileSystem& files) {
    files.put(path(unfinished_name(sample_key)), "{");
    files.put(path(data_name(sample_key, 0x99)), "saved, never committed");
    files.sync_all();
    return recovering(files);
  };
  auto const steps = stop_everywhere(leave_all, true,
                                     [](Stands found, bool) { EXPECT_EQ(found, Stands::old_one); });
  EXPECT_GE(steps, 5U);
}

TEST(CrashAtEveryStep, of_setting_aside_leaves_the_state_or_none) {
  auto const steps = stop_everywhere(setting_aside, true, [](Stands found, bool finished) {
    EXPECT_TRUE(found == Stands::none || (!finished && found == Stands::old_one));
  });
  EXPECT_EQ(steps, 12U);
}

TEST(CrashAtEveryStep, of_a_first_commit_leaves_no_state_or_the_new_one) {
  auto const steps = stop_everywhere(committing_first, false, [](Stands found, bool finished) {
    if (finished) {
      EXPECT_EQ(found, Stands::new_one);
    } else {
      EXPECT_TRUE(found == Stands::none || found == Stands::new_one) << static_cast<int>(found);
    }
  });
  EXPECT_EQ(steps, 6U);
}

TEST(CrashAtEveryStep, of_a_removal_leaves_the_state_or_none) {
  auto const steps = stop_everywhere(removing, true, [](Stands found, bool finished) {
    if (finished) {
      EXPECT_EQ(found, Stands::none);
    } else {
      EXPECT_TRUE(found == Stands::old_one || found == Stands::none) << static_cast<int>(found);
    }
  });
  EXPECT_EQ(steps, 4U);
}

constexpr auto every_failure = {Failing::undone, Failing::done, Failing::full, Failing::denied,
                                Failing::half};

/// Fails each step once, either way; `judge` gets the disk as it is, and whether the work said it
/// was done.
void fail_everywhere(Work const& work,
                     std::function<std::optional<Stands>(MemoryFileSystem&, bool)> const& judge) {
  for (auto const how : every_failure) {
    for (std::size_t step = 0; step < 12; ++step) {
      for (auto const& ending : endings()) {
        SCOPED_TRACE("step " + std::to_string(step) + ", seed " + std::to_string(ending.seed) +
                     ", failure " + std::to_string(static_cast<int>(how)));
        MemoryFileSystem files;
        set_up(files, true);
        files.fail_at(step, how);
        auto const said_done = work(files);
        files.work();
        auto const expected = judge(files, said_done);
        files.crash(ending.kind, ending.seed);
        auto const found = stands(files);
        EXPECT_NE(found, Stands::damaged);
        EXPECT_EQ(found, expected.value_or(found));
        EXPECT_TRUE(goes_on(files));
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(FailureAtEveryStep, of_a_commit_says_which_state_stands) {
  std::size_t faults = 0;
  auto const judge = [&faults](MemoryFileSystem& files, bool said_done) -> std::optional<Stands> {
    EXPECT_EQ(stands(files), said_done ? Stands::new_one : Stands::old_one);
    EXPECT_FALSE(files.content(path(unfinished_name(sample_key))));
    if (said_done) return std::nullopt;
    ++faults;
    // The caller may do that now; the old state stands all the same, at any crash.
    EXPECT_TRUE(files.remove(path(new_state.data)));
    return Stands::old_one;
  };
  fail_everywhere(committing, judge);
  EXPECT_GT(faults, 0U);
}

TEST(FailureAtEveryStep, of_a_commit_never_leaves_none_after_a_crash) {
  for (auto const how : every_failure) {
    for (std::size_t step = 0; step < 7; ++step) {
      for (auto const& ending : endings()) {
        MemoryFileSystem files;
        set_up(files, true);
        files.fail_at(step, how);
        committing(files);
        files.crash(ending.kind, ending.seed);
        auto const found = stands(files);
        ASSERT_TRUE(found == Stands::old_one || found == Stands::new_one) << "step " << step;
      }
    }
  }
}

TEST(FailureAtEveryStep, of_setting_aside_never_offers_it_again_once_it_says_so) {
  fail_everywhere(setting_aside,
                  [](MemoryFileSystem& files, bool said_done) -> std::optional<Stands> {
                    auto const found = stands(files);
                    EXPECT_TRUE(found == Stands::none || (!said_done && found == Stands::old_one));
                    return said_done ? std::optional(Stands::none) : std::nullopt;
                  });
}

TEST(FailureAtEveryStep, of_a_removal_never_leaves_a_manifest_without_data) {
  fail_everywhere(removing, [](MemoryFileSystem& files, bool) -> std::optional<Stands> {
    auto const found = stands(files);
    EXPECT_TRUE(found == Stands::old_one || found == Stands::none);
    EXPECT_TRUE(remove_state(files, folders, old_state));
    EXPECT_EQ(stands(files), Stands::none);
    return std::nullopt;
  });
}

}  // namespace
}  // namespace slotswap::store
