// The files that saves leave behind.
#include "conformance/conformance.hpp"
#include "llama_sim/slot_file.hpp"
#include "support/temp_dir.hpp"

namespace slotswap::test {
namespace {

class SlotFilesTest : public Conformance {};

TEST_P(SlotFilesTest, a_save_writes_in_place) {
  start();
  auto const file = save(story("a", 40));
  // Keeps the file's inode from being used again for a new file.
  auto const second_name = subject().slot_dir() / "linked.bin";
  std::filesystem::create_hard_link(file, second_name);
  auto const size = std::filesystem::file_size(file);
  save(story("b", 80));
  EXPECT_TRUE(std::filesystem::equivalent(file, second_name));
  EXPECT_GT(std::filesystem::file_size(second_name), size);
  save(story("a", 40));
  EXPECT_TRUE(std::filesystem::equivalent(file, second_name));
  EXPECT_EQ(std::filesystem::file_size(second_name), size) << "something of the longer one is left";
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
  auto const longer = save(story("a", 60));
  auto const again = llama_sim::read_slot_file(longer.string());
  EXPECT_GT(llama_sim::common_prefix(read.tokens, again.tokens), read.tokens.size() * 8 / 10);
}

SLOTSWAP_ON_BOTH(SlotFilesTest);

}  // namespace
}  // namespace slotswap::test
