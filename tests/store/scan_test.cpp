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
std::string path(std::string const& name) {
  return folder + "/" + name;
}

StateKey key_of(char digit) {
  return {sample_tag, std::string(32, digit)};
}

/// Manifest and data, both there and right.
Manifest add_state(MemoryFileSystem& files, StateKey const& key, std::uint64_t generation) {
  auto manifest = sample_manifest(key, generation, 10);
  files.put(path(manifest.data), std::string(10, 'd'));
  files.put(path(manifest_name(key)), to_json(manifest));
  return manifest;
}

Scan scanned(MemoryFileSystem& files) {
  auto result = scan(files, folder);
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
  EXPECT_FALSE(scan(files, folder));
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
  ASSERT_EQ(found.states.size(), 2U);
  EXPECT_EQ(to_json(found.states[0]), to_json(a));
  EXPECT_EQ(to_json(found.states[1]), to_json(b));
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

TEST(ScanFolder, a_state_that_is_not_whole_is_a_problem) {
  struct Row {
    char const* why;
    void (*spoil)(MemoryFileSystem&, std::string const& data, std::string const& manifest);
    char const* problem;
    bool data_named;  // by a manifest that can be read
  };
  using M = MemoryFileSystem;
  using S = std::string const&;
  for (auto const &row : {
           Row{"gone", [](M&f, S d, S) { (void)f.remove(d); }, "No such file", true},
           Row{"short", [](M&f, S d, S) { f.put(d, "ddd"); }, "has 3 bytes, not 10", true},
           Row{"long", [](M&f, S d, S) { f.put(d, std::string(11, 'd')); }, "has 11", true},
           Row{"a link", [](M&f, S d, S) { f.set_irregular(d); }, "not a regular file", true},
           Row{"linked", [](M&f, S d, S) { f.set_links(d, 2); }, "has 2 links", true},
           Row{"denied", [](M&f, S, S m) { f.set_unreadable(m); }, "Permission denied", false},
           Row{"a link", [](M&f, S, S m) { f.set_irregular(m); }, "not a regular file", false},
           Row{"cut", [](M&f, S, S m) { f.put(m, R"({"format":1,)"); }, "not JSON", false},
           Row{"later", [](M&f, S, S m) { f.put(m, R"({"format":2})"); }, "format is 2", false},
           Row{"huge", [](M&f, S, S m) { f.put(m, std::string(manifest_limit + 1, ' ')); },
               "too long", false},
       }) {
    MemoryFileSystem files;
    auto const good = add_state(files, key_of('a'), 1);
    auto const bad = add_state(files, key_of('b'), 2);
    files.put(path(data_name(key_of('b'), 1)), "older data of the same session");
    row.spoil(files, path(bad.data), path(manifest_name(bad.key)));
    auto const found = scanned(files);
    ASSERT_EQ(found.states.size(), 1U) << row.why;
    EXPECT_EQ(found.states[0].key, good.key) << row.why;
    ASSERT_EQ(found.problems.size(), 1U) << row.why;
    EXPECT_THAT(found.problems[0], HasSubstr(row.problem));
    EXPECT_THAT(found.problems[0], HasSubstr(bad.key.text()));
    // Which data an unreadable manifest names is not known: none may be taken for a leftover.
    EXPECT_EQ(found.unnamed.size(), row.data_named ? 1U : 0U) << row.why;
    EXPECT_EQ(found.last_generation, 2U) << row.why;
  }
}

TEST(ScanFolder, a_stray_name_does_not_end_the_counting_of_generations) {
  MemoryFileSystem files;
  add_state(files, key_of('a'), 5);
  files.put(path(data_name(key_of('b'), ~std::uint64_t{0})), "x");
  auto const found = scanned(files);
  EXPECT_EQ(found.last_generation, 5U);
  EXPECT_EQ(found.unnamed.size(), 1U);
}

TEST(ScanFolder, looks_at_each_manifest_once) {
  MemoryFileSystem files;
  constexpr std::size_t many = 20'000;
  for (std::size_t i = 0; i < many; ++i) {
    auto digits = std::to_string(i);
    add_state(files, {sample_tag, std::string(32 - digits.size(), 'e') + digits}, i + 1);
  }
  files.calls.clear();
  EXPECT_EQ(scanned(files).states.size(), many);
  EXPECT_EQ(files.calls.size(), 2 * many + 1);
}

}  // namespace
}  // namespace slotswap::store
