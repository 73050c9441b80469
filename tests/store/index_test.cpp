#include "samples.hpp"

#include <slotswap/store/index.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <tuple>

namespace slotswap::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string const here = "here-00000001";
std::string const there = "there-00000002";

StateKey key(std::string const& tag, char digit) {
  return {tag, std::string(32, digit)};
}

Manifest state(std::string const& tag, char digit, std::uint64_t bytes, std::int64_t last_used,
               std::int64_t saved = 0) {
  auto manifest = sample_manifest(key(tag, digit), 1, bytes);
  manifest.last_used = last_used;
  manifest.saved = saved;
  return manifest;
}

/// The ids that go, one character each, in order.
std::string going(PrunePlan const& plan) {
  std::string ids;
  for (auto const& manifest : plan.remove) ids += manifest.key.id[0];
  return ids;
}

TEST(Prune, takes_the_least_recently_used_first_until_the_limits_hold) {
  // Bytes 10, 20, 30, 40, 50 of a..e; used in the order c a b d e; before all, another tag's f.
  Index const index({state(here, 'a', 10, 2), state(here, 'b', 20, 3), state(here, 'c', 30, 1),
                     state(here, 'd', 40, 4), state(here, 'e', 50, 5), state(there, 'f', 60, 0)},
                    1);
  struct Row {
    Limits limits;
    std::string keep;
    std::string going;
    bool over_bytes;
    bool over_folder;
  };
  for (auto const& row : {
           Row{{0, 0, 0}, "", "", false, false},        Row{{5, 150, 210}, "", "", false, false},
           Row{{4, 0, 0}, "", "c", false, false},       Row{{2, 0, 0}, "", "cab", false, false},
           Row{{2, 0, 0}, "ca", "bde", false, false},   Row{{1, 0, 0}, "ade", "cb", false, false},
           Row{{0, 149, 0}, "", "c", false, false},     Row{{0, 119, 0}, "", "ca", false, false},
           Row{{0, 1, 0}, "", "cabde", false, false},   Row{{0, 50, 0}, "e", "cabd", false, false},
           Row{{0, 49, 0}, "e", "cabd", true, false},  // alone over the limit, it stays
           Row{{0, 49, 0}, "f", "cabde", false, false}, Row{{4, 100, 0}, "", "cab", false, false},
           Row{{0, 0, 209}, "", "f", false, false},     Row{{0, 0, 119}, "", "fca", false, false},
           Row{{0, 0, 150}, "f", "cab", false, false},  Row{{0, 0, 100}, "fe", "cabd", false, true},
           Row{{4, 0, 150}, "", "fc", false, false},  // c counts for both limits
           Row{{4, 49, 59}, "ef", "cabd", true, true},
       }) {
    std::set<StateKey> keep;
    for (auto const digit : row.keep) keep.insert(key(digit == 'f' ? there : here, digit));
    auto const plan = index.plan_prune(here, row.limits, keep);
    SCOPED_TRACE("expected " + row.going + ", keep " + row.keep);
    EXPECT_EQ(going(plan), row.going);
    EXPECT_EQ(plan.over_bytes, row.over_bytes);
    EXPECT_EQ(plan.over_folder, row.over_folder);
  }
}

TEST(Prune, ties_go_by_saved_then_by_name) {
  Index const index({state(here, 'd', 1, 7, 5), state(here, 'c', 1, 7, 6),
                     state(here, 'b', 1, 7, 5), state(here, 'a', 1, 8, 0)},
                    1);
  EXPECT_EQ(going(index.plan_prune(here, {1, 0, 0}, {})), "bdc");
}

TEST(Prune, of_a_tag_without_states_looks_at_the_folder_all_the_same) {
  Index const index({state(here, 'a', 10, 1)}, 1);
  auto const plan = index.plan_prune(there, {1, 1, 5}, {});
  EXPECT_EQ(going(plan), "a");
  EXPECT_FALSE(plan.over_bytes);
}

TEST(StateIndex, finds_replaces_and_forgets) {
  Index index({state(here, 'a', 10, 1)}, 1);
  EXPECT_FALSE(index.find(key(there, 'a')));
  index.put(state(here, 'a', 25, 9));
  ASSERT_TRUE(index.find(key(here, 'a')));
  EXPECT_EQ(index.find(key(here, 'a'))->bytes, 25U);
  EXPECT_EQ(index.size(), 1U);
  EXPECT_EQ(index.bytes(), 25U);
  index.erase(key(here, 'b'));
  index.erase(key(here, 'a'));
  EXPECT_EQ(index.size(), 0U);
  EXPECT_EQ(index.bytes(), 0U);
}

TEST(StateIndex, a_restored_state_counts_as_used) {
  Index index({state(here, 'a', 1, 1), state(here, 'b', 1, 2)}, 1);
  index.used(key(here, 'a'), 3);
  EXPECT_EQ(index.find(key(here, 'a'))->uses, 4U);
  EXPECT_EQ(going(index.plan_prune(here, {1, 0, 0}, {})), "b");
  index.used(key(here, 'a'), 0);
  EXPECT_EQ(index.find(key(here, 'a'))->last_used, 3);
  index.used(key(here, 'c'), 9);
  EXPECT_EQ(index.size(), 2U);
}

TEST(StateIndex, a_moved_index_still_knows_its_order) {
  Index first({state(here, 'a', 1, 1), state(here, 'b', 1, 2)}, 1);
  Index second;
  second = std::move(first);
  second.used(key(here, 'a'), 3);
  EXPECT_EQ(going(second.plan_prune(here, {1, 0, 0}, {})), "b");
}

TEST(Generations, never_come_twice) {
  Index index({}, 100);
  EXPECT_EQ(index.next_generation(0), 101U);
  EXPECT_EQ(index.next_generation(-5), 102U);
  EXPECT_EQ(index.next_generation(1'000), 1'000U);
  EXPECT_EQ(index.next_generation(1'000), 1'001U);
  EXPECT_EQ(index.next_generation(500), 1'002U);
}

TEST(Generations, are_above_those_of_all_states_seen) {
  auto manifest = state(here, 'a', 1, 1);
  manifest.data = data_name(manifest.key, 77);
  Index index({manifest}, 0);
  EXPECT_EQ(index.next_generation(0), 78U);
  manifest.data = data_name(manifest.key, 90);
  index.put(manifest);
  EXPECT_EQ(index.next_generation(0), 91U);
}

TEST(Generations, survive_a_stray_name) {
  Index index({}, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(index.next_generation(5), 5U);
}

/// The same rules, said with loops over everything.
PrunePlan naive_prune(std::vector<Manifest> states, std::string const& tag, Limits const& limits,
                      std::set<StateKey> const& keep) {
  std::sort(states.begin(), states.end(), [](Manifest const& a, Manifest const& b) {
    return std::make_tuple(a.last_used, a.saved, a.key.tag, a.key.id) <
           std::make_tuple(b.last_used, b.saved, b.key.tag, b.key.id);
  });
  auto const count = [&](std::set<StateKey> const& gone) {
    return static_cast<std::uint64_t>(std::count_if(states.begin(), states.end(), [&](auto& s) {
      return s.key.tag == tag && !gone.contains(s.key);
    }));
  };
  auto const bytes = [&](std::set<StateKey> const& gone, bool of_tag) {
    std::uint64_t sum = 0;
    for (auto const& s : states) {
      if (!gone.contains(s.key) && (!of_tag || s.key.tag == tag)) sum += s.bytes;
    }
    return sum;
  };
  std::set<StateKey> gone;
  auto const tag_over = [&] {
    return (limits.max_files != 0 && count(gone) > limits.max_files) ||
           (limits.max_bytes != 0 && bytes(gone, true) > limits.max_bytes);
  };
  auto const folder_over = [&] {
    return limits.max_folder != 0 && bytes(gone, false) > limits.max_folder;
  };
  for (auto const& s : states) {
    if (s.key.tag == tag && !keep.contains(s.key) && tag_over()) gone.insert(s.key);
  }
  for (auto const& s : states) {
    if (!keep.contains(s.key) && folder_over()) gone.insert(s.key);
  }
  PrunePlan plan;
  for (auto const& s : states) {
    if (gone.contains(s.key)) plan.remove.push_back(s);
  }
  plan.over_bytes = limits.max_bytes != 0 && bytes(gone, true) > limits.max_bytes;
  plan.over_folder = folder_over();
  return plan;
}

TEST(Prune, agrees_with_the_naive_model_over_random_histories) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    auto const below = [&random](std::uint32_t n) {
      return static_cast<std::uint32_t>(random() % n);
    };
    auto const any_key = [&] {
      return key(below(3) == 0 ? there : here, "0123456789abcdef"[below(16)]);
    };
    // Of two tags the one that was seen first goes first.
    Index index({state(here, 'a', 1, 1), state(there, 'a', 1, 1)}, 1);
    index.erase(key(here, 'a'));
    index.erase(key(there, 'a'));
    std::map<StateKey, Manifest> model;
    for (int step = 0; step < 60; ++step) {
      auto const chosen = any_key();
      switch (below(4)) {
        case 0: {
          auto const now = std::int64_t{below(12)};
          index.used(chosen, now);
          if (auto const found = model.find(chosen); found != model.end()) {
            found->second.last_used = std::max(found->second.last_used, now);
          }
          break;
        }
        case 1:
          index.erase(chosen);
          model.erase(chosen);
          break;
        default: {
          auto const made = state(chosen.tag, chosen.id[0], below(50) + 1, below(12), below(3));
          index.put(made);
          model[chosen] = made;
        }
      }
    }
    std::vector<Manifest> states;
    for (auto const& [_, manifest] : model) states.push_back(manifest);
    Limits const limits{below(8), below(3) == 0 ? 0 : below(300), below(3) == 0 ? 0 : below(400)};
    std::set<StateKey> const keep{any_key(), any_key()};
    auto const plan = index.plan_prune(here, limits, keep);
    auto const expected = naive_prune(states, here, limits, keep);
    SCOPED_TRACE("seed " + std::to_string(seed));
    ASSERT_EQ(going(plan), going(expected));
    ASSERT_EQ(plan.over_bytes, expected.over_bytes);
    ASSERT_EQ(plan.over_folder, expected.over_folder);
    for (auto const& manifest : plan.remove) ASSERT_FALSE(keep.contains(manifest.key));
  }
}

}  // namespace
}  // namespace slotswap::store
