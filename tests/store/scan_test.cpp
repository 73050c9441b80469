#include "memory_file_system.hpp"
#include "samples.hpp"

#include <slotswap/store/folder.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slotswap::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string const folder = "/slots";
Folders const folders(folder, folder);
std::string path(std::string const& name) {
  return folder + "/" + name;
}

StateKey key_of(char digit) {
  return {sample_tag, std::string(32, digit)};
}

/// Manifest and data, both there and right.
Manifest add_state(MemoryFileSystem& files, StateKey const& key, std::uint64_t generation) {
  auto manifest = sample_manifest(key, generation, 10);
  put_data(files, folder, manifest, std::string(10, 'd'));
  files.put(path(manifest_name(key)), to_json(manifest));
  return manifest;
}

Scan scanned(MemoryFileSystem& files) {
  auto result = scan(files, folders);
  EXPECT_TRUE(result);
  return result ? std::move(*result) : Scan();
}

TEST(ScanFolder, an_empty_folder_has_nothing) {
  MemoryFileSystem files;
  auto const found = scanned(files);
  EXPECT_THAT(found.states, IsEmpty());
  EXPECT_THAT(found.problems, IsEmpty());
  EXPECT_EQ(found.last_generation, 0U);
}

TEST(ScanFolder, a_folder_that_cannot_be_listed_is_a_fault) {
  MemoryFileSystem files;
  files.fail_at(0, Failing::undone);
  EXPECT_FALSE(scan(files, folders));
}

TEST(ScanFolder, finds_states_leftovers_and_the_last_generation) {
  MemoryFileSystem files;
  auto const a = add_state(files, key_of('a'), 0x10);
  auto const b = add_state(files, key_of('b'), 0x20);
  files.put(path(data_name(key_of('a'), 0x0f)), "old");
  files.put(path(data_name(key_of('c'), 0x99)), "saved, never committed");
  files.put(path(unfinished_name(key_of('c'))), "{");
  files.put(path(sample_tag + "_" + sample_id + ".bin"), "the hook's");
  files.put(path("notes.txt"), "");
  files.put(path("models.json"), "{}");
  auto const found = scanned(files);
  // One has two data files: only its manifest tells which is its.
  ASSERT_EQ(found.states.size(), 1U);
  EXPECT_EQ(to_json(found.states[0]), to_json(a));
  ASSERT_EQ(found.listed.size(), 1U);
  EXPECT_EQ(found.listed[0].key, b.key);
  EXPECT_EQ(found.listed[0].generation, 0x20U);
  EXPECT_EQ(found.listed[0].bytes, 10U);
  EXPECT_THAT(found.unnamed,
              ElementsAre(data_name(key_of('a'), 0x0f), data_name(key_of('c'), 0x99)));
  EXPECT_THAT(found.unfinished, ElementsAre(unfinished_name(key_of('c'))));
  EXPECT_THAT(found.problems, IsEmpty());
  EXPECT_EQ(found.last_generation, 0x99U);
}

TEST(ScanFolder, changes_nothing) {
  MemoryFileSystem files;
  add_state(files, key_of('a'), 1);
  files.put(path(data_name(key_of('b'), 2)), "x");
  files.put(path(unfinished_name(key_of('b'))), "{");
  files.calls.clear();
  scanned(files);
  for (auto const& call : files.calls) {
    auto const name = call.substr(0, call.find(' '));
    EXPECT_TRUE(name == "list" || name == "read" || name == "stat") << call;
  }
}

TEST(ScanFolder, of_a_session_with_an_unreadable_manifest_no_data_is_a_leftover) {
  struct Row {
    char const* why;
    void (*spoil)(MemoryFileSystem&, std::string const& manifest);
    char const* problem;
  };
  using M = MemoryFileSystem;
  using S = std::string const&;
  for (auto const &row : {
           Row{"denied", [](M&f, S m) { f.set_unreadable(m); }, "Permission denied"},
           Row{"a link", [](M&f, S m) { f.set_irregular(m); }, "not a regular file"},
           Row{"cut", [](M&f, S m) { f.put(m, R"({"format":1,)"); }, "not JSON"},
           Row{"later", [](M&f, S m) { f.put(m, R"({"format":2})"); }, "format is 2"},
           Row{"huge", [](M&f, S m) { f.put(m, std::string(manifest_limit + 1, ' ')); },
               "too long"},
       }) {
    MemoryFileSystem files;
    auto const good = add_state(files, key_of('a'), 1);
    auto const bad = add_state(files, key_of('b'), 2);
    files.put(path(data_name(key_of('b'), 1)), "older data of the same session");
    row.spoil(files, path(manifest_name(bad.key)));
    auto const found = scanned(files);
    ASSERT_EQ(found.listed.size(), 1U) << row.why;
    EXPECT_EQ(found.listed[0].key, good.key) << row.why;
    EXPECT_THAT(found.states, IsEmpty()) << row.why;
    ASSERT_EQ(found.problems.size(), 1U) << row.why;
    EXPECT_THAT(found.problems[0], HasSubstr(row.problem));
    EXPECT_THAT(found.problems[0], HasSubstr(bad.key.text()));
    EXPECT_THAT(found.unnamed, IsEmpty()) << row.why;
    for (auto const generation : {1U, 2U}) {
      auto const name = data_name(key_of('b'), generation);
      EXPECT_TRUE(remove_leftover(files, folders, name));
      EXPECT_TRUE(files.content(path(name))) << row.why;
    }
    EXPECT_EQ(found.last_generation, 2U) << row.why;
  }
}

TEST(ScanFolder, a_manifest_whose_data_is_gone_is_no_state_and_stays) {
  MemoryFileSystem files;
  auto const state = add_state(files, key_of('a'), 1);
  (void)files.remove(path(state.data));
  auto const found = offered(files, folders);
  EXPECT_THAT(found.states, IsEmpty());
  EXPECT_THAT(found.problems, IsEmpty());
  EXPECT_TRUE(files.content(path(manifest_name(state.key))));
}

TEST(ScanFolder, manifests_may_have_a_folder_of_their_own) {
  MemoryFileSystem files;
  auto const state = sample_manifest(key_of('a'), 7, 4);
  put_data(files, "/slots", state, "data");
  files.put("/ours/" + manifest_name(state.key), to_json(state));
  auto const found = offered(files, Folders("/slots", "/ours"));
  ASSERT_EQ(found.states.size(), 1U);
  EXPECT_EQ(to_json(found.states[0]), to_json(state));
}

TEST(ScanFolder, without_a_visible_folder_the_manifests_are_believed) {
  MemoryFileSystem files;
  auto const state = sample_manifest(key_of('a'), 1, 4);
  files.put("/ours/" + manifest_name(state.key), to_json(state));
  auto const found = offered(files, Folders("", "/ours"));
  ASSERT_EQ(found.states.size(), 1U);
  EXPECT_EQ(to_json(found.states[0]), to_json(state));
}

TEST(ScanFolder, a_stray_name_does_not_end_the_counting_of_generations) {
  MemoryFileSystem files;
  add_state(files, key_of('a'), 5);
  files.put(path(data_name(key_of('b'), ~std::uint64_t{0})), "x");
  auto const found = scanned(files);
  EXPECT_EQ(found.last_generation, 5U);
  EXPECT_EQ(found.unnamed.size(), 1U);
}

TEST(ScanFolder, reads_no_manifest_of_a_state_that_is_whole) {
  MemoryFileSystem files;
  constexpr std::size_t many = 20'000;
  for (std::size_t i = 0; i < many; ++i) {
    auto digits = std::to_string(i);
    add_state(files, {sample_tag, std::string(32 - digits.size(), 'e') + digits}, i + 1);
  }
  files.calls.clear();
  EXPECT_EQ(scanned(files).listed.size(), many);
  EXPECT_EQ(files.calls.size(), 2 * many + 1);
  for (auto const& call : files.calls) ASSERT_FALSE(call.starts_with("read")) << call;
}

}  // namespace
}  // namespace slotswap::store
