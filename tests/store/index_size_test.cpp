// A hundred thousand states: what each takes in memory.
#include "samples.hpp"

#include <slotswap/store/index.hpp>

#include <gtest/gtest.h>

#include <malloc.h>

namespace slotswap::store {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool counts = false;
#else
constexpr bool counts = true;
#endif

constexpr std::size_t many = 100'000;
constexpr std::size_t allowed = 500;  // bytes a state

Manifest nth(std::size_t i) {
  auto const digits = std::to_string(i);
  StateKey const key("model-0011223" + std::to_string(i % 3),
                     std::string(32 - digits.size(), 'e') + digits);
  auto manifest = sample_manifest(key, i + 1, 1000);
  manifest.last_used = static_cast<std::int64_t>(i * 7919 % many);
  manifest.checksum = std::string(32, 'c');
  return manifest;
}

TEST(IndexSize, is_at_most_500_bytes_a_state) {
  if (!counts) GTEST_SKIP() << "a sanitizer's memory is not counted";
  for (auto const read : {false, true}) {
    auto const before = ::mallinfo2().uordblks;
    Index index;
    for (std::size_t i = 0; i < many; ++i) {
      auto const state = nth(i);
      if (read) {
        index.put(state);
      } else {
        index.put_listed(Listed(state.key, i + 1, state.bytes, state.last_used));
      }
    }
    auto const after = ::mallinfo2().uordblks;
    EXPECT_EQ(index.size(), many);
    EXPECT_LT((after - before) / many, allowed);
    EXPECT_GT((after - before) / many, 100U) << "is it counted at all?";
  }
}

TEST(IndexSize, a_listed_state_is_told_once_its_manifest_is_read) {
  auto const state = nth(5);
  Index index;
  index.put_listed(Listed(state.key, 6, 1000, 4));
  EXPECT_FALSE(index.is_read(state.key));
  ASSERT_TRUE(index.find(state.key));
  EXPECT_EQ(index.find(state.key)->data, state.data);
  EXPECT_EQ(index.find(state.key)->tokens, 0);
  index.put(state);
  EXPECT_TRUE(index.is_read(state.key));
  EXPECT_EQ(to_json(*index.find(state.key)), to_json(state));
  // A listing that comes later knows less.
  index.put_listed(Listed(state.key, 6, 1000, 4));
  EXPECT_EQ(to_json(*index.find(state.key)), to_json(state));
  EXPECT_EQ(index.tags_of(state.key.id), std::vector<std::string>{state.key.tag});
}

TEST(Prune, by_age_takes_what_was_not_used_since_and_stops_there) {
  Index index;
  for (std::size_t i = 0; i < 9; ++i) {
    auto state = nth(i * 3);
    state.last_used = static_cast<std::int64_t>(i + 1) * 100;
    index.put(state);
  }
  auto const tag = nth(0).key.tag;
  Limits limits;
  limits.oldest = 500;
  EXPECT_EQ(index.plan_prune(tag, limits, {}).remove.size(), 4U);
  EXPECT_EQ(index.plan_prune(tag, limits, {nth(0).key, nth(24).key}).remove.size(), 3U);
  EXPECT_TRUE(index.plan_prune("other-00000000", limits, {}).remove.empty());
}

TEST(Prune, makes_room_of_any_tag_and_counts_what_lies_beside) {
  Index index;
  for (std::size_t i = 0; i < 9; ++i) index.put(nth(i));
  Limits room;
  room.make_room = 2'500;
  EXPECT_EQ(index.plan_prune({}, room, {}).remove.size(), 3U);
  Limits limit;
  limit.max_bytes = 3'000;
  auto const tag = nth(0).key.tag;
  EXPECT_TRUE(index.plan_prune(tag, limit, {}).remove.empty());
  index.add_beside(tag, 1);
  EXPECT_EQ(index.plan_prune(tag, limit, {}).remove.size(), 1U);
  index.take_beside(tag, 1);
  EXPECT_TRUE(index.plan_prune(tag, limit, {}).remove.empty());
  limit.max_folder = 9'000;
  index.add_beside("elsewhere-00000000", 1'500);
  EXPECT_EQ(index.plan_prune(tag, limit, {}).remove.size(), 2U);
}

}  // namespace
}  // namespace slotswap::store
