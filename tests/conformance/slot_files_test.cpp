// The files that saves leave behind, and what happens to a server that is given a wrong one.
#include "conformance/conformance.hpp"
#include "llama_sim/slot_file.hpp"
#include "support/temp_dir.hpp"

#include <sys/stat.h>

namespace slotswap::test {
namespace {

class SlotFilesTest : public Conformance {
 protected:
  std::filesystem::path save(std::string const& text) {
    complete(text);
    auto const answer = slot_call("save", "a.bin");
    EXPECT_EQ(answer.status, 200) << answer.body;
    return subject().slot_dir() / "a.bin";
  }
};

ino_t inode_of(std::filesystem::path const& path) {
  struct stat facts {};
  EXPECT_EQ(::stat(path.c_str(), &facts), 0);
  return facts.st_ino;
}

TEST_P(SlotFilesTest, a_save_writes_in_place) {
  start();
  auto const file = save(story("a", 40));
  auto const before = inode_of(file);
  auto const size = std::filesystem::file_size(file);
  save(story("b", 80));
  EXPECT_EQ(inode_of(file), before);
  EXPECT_GT(std::filesystem::file_size(file), size);
}

TEST_P(SlotFilesTest, a_link_is_followed) {
  start();
  TempDir elsewhere;
  std::filesystem::create_symlink(elsewhere.path() / "target", subject().slot_dir() / "a.bin");
  save(story("a", 40));
  EXPECT_TRUE(std::filesystem::exists(elsewhere.path() / "target"));
}

TEST_P(SlotFilesTest, the_tokens_stand_at_the_front_of_the_file) {
  start();
  auto const file = save(story("a", 40));
  auto const held = look().held;
  auto const read = llama_sim::read_slot_file(file.string());
  EXPECT_EQ(static_cast<std::int64_t>(read.tokens.size()), held);
  EXPECT_EQ(read.bytes, std::filesystem::file_size(file));
  auto const longer = save(story("a", 60));
  auto const again = llama_sim::read_slot_file(longer.string());
  EXPECT_GT(llama_sim::common_prefix(read.tokens, again.tokens), read.tokens.size() * 8 / 10);
}

TEST_P(SlotFilesTest, a_file_that_is_one_byte_short_ends_the_server) {
  auto& server = start();
  auto const file = save(story("a", 40));
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  RawClient client(server.port());
  client.send(make_request("POST", "/slots/0?action=restore", {}, R"({"filename":"a.bin"})"));
  EXPECT_TRUE(server.died());
  EXPECT_EQ(client.read_to_end(), "");
  server.restart();
  EXPECT_EQ(get("/health").status, 200);
}

TEST_P(SlotFilesTest, a_file_cut_at_its_front_is_refused) {
  start();
  auto const file = save(story("a", 40));
  std::filesystem::resize_file(file, std::filesystem::file_size(file) * 4 / 10);
  EXPECT_EQ(slot_call("restore", "a.bin").status, 400);
  EXPECT_EQ(look().held, 0);
}

TEST_P(SlotFilesTest, a_state_that_is_larger_than_the_context_is_refused) {
  TempDir folder;
  Wish wish;
  wish.slot_dir = folder.path();
  start(wish);
  save(story("a", 600));
  ASSERT_GT(look().held, 512);
  wish.context = 512;
  start(wish);
  auto const answer = slot_call("restore", "a.bin");
  EXPECT_EQ(answer.status, 400) << answer.body;
  wish.context = 8192;
  start(wish);
  EXPECT_EQ(slot_call("restore", "a.bin").status, 200);
}

TEST_P(SlotFilesTest, another_models_file_is_taken_without_a_word) {
  if (GetParam() == Kind::sim) GTEST_SKIP() << "the simulated server has one model";
  TempDir folder;
  Wish wish;
  wish.slot_dir = folder.path();
  start(wish);
  save(story("a", 40));
  wish.model = "tiny-other";
  start(wish);
  EXPECT_EQ(slot_call("restore", "a.bin").status, 200);
  EXPECT_EQ(complete(story("a", 40)).read, 1) << "foreign numbers were reused";
}

SLOTSWAP_ON_BOTH(SlotFilesTest);

}  // namespace
}  // namespace slotswap::test
