// The real disk, in a folder of the test's own.
#include "samples.hpp"

#include <slotswap/store/file_system.hpp>
#include <slotswap/store/folder.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace slotswap::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class Disk : public testing::Test {
 protected:
  Disk() {
    auto pattern = testing::TempDir() + "slotswap-store-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
    folder_ = pattern;
    folders = Folders(folder_, folder_);
  }
  ~Disk() override {
    std::error_code ignored;
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string path(std::string const& name) const { return folder_ + "/" + name; }
  void put(std::string const& name, std::string const& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
  }
  std::string content(std::string const& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string folder_;
  Folders folders;
  std::unique_ptr<FileSystem> files_ = posix_file_system();
};

TEST_F(Disk, what_is_written_is_read_listed_and_removed) {
  ASSERT_TRUE(files_->write_new(path("a"), "text"));
  EXPECT_EQ(*files_->read(path("a"), 4), "text");
  EXPECT_THAT(*files_->list(folder_), ElementsAre("a"));
  auto const info = files_->stat(path("a"));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->bytes, 4U);
  EXPECT_EQ(info->links, 1U);
  EXPECT_TRUE(info->regular);
  EXPECT_GT(info->mtime_ns, 0);
  struct stat real {};
  ASSERT_EQ(::stat(path("a").c_str(), &real), 0);
  EXPECT_EQ(real.st_mode & 0777U, 0600U);
  EXPECT_TRUE(files_->sync_file(path("a")));
  EXPECT_TRUE(files_->sync_folder(folder_));
  EXPECT_TRUE(files_->sync_file_system(folder_));
  EXPECT_TRUE(files_->rename(path("a"), path("b")));
  EXPECT_TRUE(files_->remove(path("b")));
  EXPECT_TRUE(files_->remove(path("b")));
  EXPECT_TRUE(files_->list(folder_)->empty());
}

TEST_F(Disk, an_existing_file_is_never_written_over) {
  put("a", "first");
  auto const written = files_->write_new(path("a"), "second");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().detail, "open " + path("a") + ": File exists");
  EXPECT_EQ(content("a"), "first");
  ASSERT_EQ(::symlink(path("elsewhere").c_str(), path("b").c_str()), 0);
  EXPECT_FALSE(files_->write_new(path("b"), "x"));
  EXPECT_FALSE(std::filesystem::exists(path("elsewhere")));
}

TEST_F(Disk, a_file_over_the_limit_is_not_read) {
  put("a", "12345");
  EXPECT_TRUE(files_->read(path("a"), 5));
  auto const text = files_->read(path("a"), 4);
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().detail, HasSubstr("more than 4 bytes"));
}

TEST_F(Disk, a_write_that_ends_short_leaves_no_file) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit const ten_bytes{10, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &ten_bytes), 0);
  auto const written = files_->write_new(path("a"), std::string(100, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().detail, "write " + path("a") + ": File too large");
  EXPECT_FALSE(std::filesystem::exists(path("a")));
}

TEST_F(Disk, links_are_not_followed) {
  put("a", "secret");
  ASSERT_EQ(::symlink(path("a").c_str(), path("link").c_str()), 0);
  EXPECT_FALSE(files_->stat(path("link"))->regular);
  for (auto const& fault :
       {files_->read(path("link"), 100).error(), files_->sync_file(path("link")).error()}) {
    EXPECT_EQ(fault.code, "disk");
    EXPECT_THAT(fault.detail, HasSubstr("a link is not followed"));
    EXPECT_THAT(fault.detail, HasSubstr("open " + path("link")));
  }
  EXPECT_TRUE(files_->remove(path("link")));
  EXPECT_EQ(content("a"), "secret");
}

TEST_F(Disk, a_fifo_holds_nobody_up) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_THAT(files_->read(path("fifo"), 100).error().detail, HasSubstr("not a regular file"));
  EXPECT_THAT(files_->sync_file(path("fifo")).error().detail, HasSubstr("not a regular file"));
}

TEST_F(Disk, what_is_missing_has_its_own_code) {
  EXPECT_EQ(files_->stat(path("no")).error().code, "missing");
  EXPECT_EQ(files_->read(path("no"), 1).error().code, "missing");
  EXPECT_EQ(files_->sync_file(path("no")).error().code, "missing");
  EXPECT_EQ(files_->list(path("no")).error().code, "missing");
  EXPECT_EQ(files_->rename(path("no"), path("a")).error().code, "missing");
  EXPECT_EQ(files_->stat(path("no")).error().detail,
            "lstat " + path("no") + ": No such file or directory");
}

TEST_F(Disk, what_is_denied_says_so) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may do everything";
  put("a", "x");
  ASSERT_EQ(::chmod(path("a").c_str(), 0), 0);
  EXPECT_EQ(files_->sync_file(path("a")).error().code, "unreadable");
  ASSERT_EQ(::chmod(folder_.c_str(), 0500), 0);
  auto const written = files_->write_new(path("b"), "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, "disk");
  EXPECT_EQ(written.error().detail, "open " + path("b") + ": Permission denied");
  EXPECT_FALSE(files_->remove(path("a")));
}

TEST_F(Disk, two_turns_of_a_session_leave_the_second) {
  auto first = sample_manifest(sample_key, 1, 5);
  put(first.data, "first");
  ASSERT_TRUE(check_saved(*files_, folders, first));
  auto done = commit(*files_, folders, first, {}, false);
  ASSERT_TRUE(done) << done.error().detail;
  auto second = sample_manifest(sample_key, 2, 6);
  put(second.data, "second");
  put(unfinished_name(sample_key), "left by a crash");
  ASSERT_TRUE(check_saved(*files_, folders, second));
  EXPECT_NE(second.mtime_ns, sample_manifest(sample_key, 2, 6).mtime_ns);
  done = commit(*files_, folders, second, {first.data}, false);
  ASSERT_TRUE(done) << done.error().detail;
  EXPECT_EQ(done->problem, "");
  EXPECT_THAT(*files_->list(folder_), UnorderedElementsAre(second.data, manifest_name(sample_key)));

  auto const found = offered(*files_, folders, true);
  ASSERT_EQ(found.states.size(), 1U);
  EXPECT_EQ(to_json(found.states[0]), to_json(second));
  ASSERT_TRUE(remove_state(*files_, folders, second));
  EXPECT_TRUE(files_->list(folder_)->empty());
}

TEST_F(Disk, a_scan_believes_no_link) {
  auto const states = {sample_manifest({sample_tag, std::string(32, 'a')}, 1, 4),
                       sample_manifest({sample_tag, std::string(32, 'b')}, 2, 4),
                       sample_manifest({sample_tag, std::string(32, 'c')}, 3, 4)};
  put("outside", "data");
  for (auto const& state : states) put(manifest_name(state.key), to_json(state));
  auto const data = [&](int i) { return path(std::data(states)[i].data); };
  ASSERT_EQ(::symlink(path("outside").c_str(), data(0).c_str()), 0);
  ASSERT_EQ(::link(path("outside").c_str(), data(1).c_str()), 0);
  std::filesystem::create_directory(data(2));
  auto const found = offered(*files_, folders);
  EXPECT_TRUE(found.states.empty());
  EXPECT_THAT(found.problems, ElementsAre(HasSubstr("not a regular file"), HasSubstr("2 links"),
                                          HasSubstr("not a regular file")));
}

TEST_F(Disk, a_digest_is_of_the_bytes) {
  put("a", "");
  put("b", std::string(3'000'000, 'x'));
  put("c", std::string(2'999'999, 'x') + "y");
  // XXH3 of nothing, 128 bits, as xxhsum -H2 prints it.
  EXPECT_EQ(*files_->digest(path("a")), "99aa06d3014798d86001c324468d497f");
  EXPECT_NE(*files_->digest(path("b")), *files_->digest(path("c")));
  EXPECT_EQ(files_->digest(path("no")).error().code, "missing");
  ASSERT_EQ(::symlink(path("a").c_str(), path("link").c_str()), 0);
  EXPECT_FALSE(files_->digest(path("link")));
  EXPECT_EQ(*files_->real_path(path("link")), std::filesystem::canonical(path("a")).string());
}

TEST_F(Disk, the_head_of_a_file_is_as_long_as_it_is) {
  put("a", "12345");
  EXPECT_EQ(*files_->read_head(path("a"), 3), "123");
  EXPECT_EQ(*files_->read_head(path("a"), 9), "12345");
  EXPECT_EQ(files_->read_head(path("no"), 9).error().code, "missing");
}

TEST_F(Disk, one_lock_at_a_time) {
  auto first = files_->lock(path("lock"));
  ASSERT_TRUE(first);
  EXPECT_EQ(files_->lock(path("lock")).error().code, "held");
  first->reset();
  EXPECT_TRUE(files_->lock(path("lock")));
  EXPECT_EQ(files_->lock(path("no/lock")).error().code, "missing");
}

TEST_F(Disk, a_text_is_replaced_at_once) {
  auto board = files_->open_board(path("a"));
  ASSERT_TRUE(board);
  EXPECT_EQ(*(*board)->read(), "");
  for (auto const* text : {"first", "second", "the third, and longer", "4"}) {
    ASSERT_TRUE((*board)->write(text));
    EXPECT_EQ(*(*board)->read(), text);
    auto again = files_->open_board(path("a"));
    ASSERT_TRUE(again);
    EXPECT_EQ(*(*again)->read(), text);
    board = std::move(again);
  }
  EXPECT_FALSE((*board)->write(std::string(1'000'000, 'x')));
  EXPECT_EQ(*(*board)->read(), "4");
  struct stat real {};
  ASSERT_EQ(::stat(path("a").c_str(), &real), 0);
  EXPECT_EQ(real.st_mode & 0777U, 0600U);
}

/// A kill leaves any part of what was being written.
TEST_F(Disk, a_board_that_was_cut_shows_its_last_whole_text) {
  auto const board = files_->open_board(path("a"));
  ASSERT_TRUE(board);
  ASSERT_TRUE((*board)->write("before"));
  auto const before = content("a");
  ASSERT_TRUE((*board)->write("after"));
  auto const after = content("a");
  for (std::size_t kept = 0; kept < after.size();
       kept = kept < before.size() ? before.size() : kept + 1) {
    if (kept > before.size() && kept < 256 * 1024) kept = 256 * 1024;
    put("cut", after.substr(0, kept));
    auto const cut = files_->open_board(path("cut"));
    ASSERT_TRUE(cut);
    if (kept >= before.size()) {
      EXPECT_EQ(*(*cut)->read(), "before") << kept;
    }
    ASSERT_TRUE((*cut)->write("next"));
    EXPECT_EQ(*(*cut)->read(), "next") << kept;
  }
  put("plain", "{}");
  auto const plain = files_->open_board(path("plain"));
  EXPECT_EQ(*(*plain)->read(), "{}");
}

TEST_F(Disk, a_folder_is_made_once_and_a_link_is_none) {
  EXPECT_TRUE(files_->make_folder(path("q")));
  EXPECT_TRUE(files_->make_folder(path("q")));
  ASSERT_EQ(::symlink(path("q").c_str(), path("link").c_str()), 0);
  EXPECT_FALSE(files_->make_folder(path("link")));
  EXPECT_GT(*files_->free_bytes(folder_), 0U);
}

/// Five damaged states: the first of them has to leave the quarantine again.
TEST_F(Disk, the_quarantine_keeps_the_last_four) {
  std::vector<std::string> names;
  for (std::uint64_t i = 1; i <= 5; ++i) {
    auto const state =
        sample_manifest({sample_tag, std::string(32, static_cast<char>('0' + i))}, i, 4);
    put(state.data, "bad!");
    put(manifest_name(state.key), to_json(state));
    auto const done = quarantine(*files_, folders, state, "it has other bytes");
    ASSERT_TRUE(done) << done.error().detail;
    if (i > 1) names.insert(names.end(), {state.data, state.data + ".json"});
  }
  EXPECT_THAT(*files_->list(folder_), ElementsAre("quarantine"));
  EXPECT_THAT(*files_->list(path("quarantine")), testing::UnorderedElementsAreArray(names));
  EXPECT_THAT(content("quarantine/" + names.back()), HasSubstr("it has other bytes"));
}

}  // namespace
}  // namespace slotswap::store
