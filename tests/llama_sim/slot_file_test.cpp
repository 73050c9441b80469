#include "llama_sim/slot_file.hpp"

#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace slotswap::llama_sim {
namespace {

constexpr std::uint64_t bytes_per_token = 64;

class SimSlotFile : public testing::Test {
 protected:
  std::uint64_t write(Tokens const& tokens) {
    return write_slot_file(path_, tokens, bytes_per_token);
  }
  SlotFile cut_to(std::uint64_t bytes) {
    write(tokens_);
    std::filesystem::resize_file(path_, bytes);
    return read_slot_file(path_);
  }

  test::TempDir folder_;
  std::string path_ = folder_.file("a.bin");
  Tokens tokens_ = tokenize("ten words are enough to see what a file holds");
};

TEST_F(SimSlotFile, tells_the_tokens_that_were_written) {
  auto const written = write(tokens_);
  EXPECT_EQ(written, std::filesystem::file_size(path_));
  EXPECT_EQ(written, 36 + tokens_.size() * (4 + bytes_per_token));
  auto const read = read_slot_file(path_);
  EXPECT_EQ(read.kind, SlotFile::Kind::fine);
  EXPECT_EQ(read.tokens, tokens_);
  EXPECT_EQ(read.bytes, written);
}

TEST_F(SimSlotFile, of_an_empty_slot_has_36_bytes) {
  EXPECT_EQ(write({}), 36U);
  EXPECT_EQ(read_slot_file(path_).kind, SlotFile::Kind::fine);
}

TEST_F(SimSlotFile, is_fatal_when_cut_in_the_second_half_of_its_payload) {
  auto const whole = write(tokens_);
  auto const payload = tokens_.size() * bytes_per_token;
  EXPECT_EQ(cut_to(whole - 1).kind, SlotFile::Kind::fatal);
  EXPECT_EQ(cut_to(whole - payload / 2).kind, SlotFile::Kind::fatal);
  EXPECT_EQ(cut_to(whole - payload / 2 - 1).kind, SlotFile::Kind::refused);
  for (std::uint64_t bytes = 0; bytes < whole - payload; ++bytes) {
    ASSERT_EQ(cut_to(bytes).kind, SlotFile::Kind::refused) << bytes;
  }
}

TEST_F(SimSlotFile, is_refused_when_missing_or_of_another_version) {
  EXPECT_EQ(read_slot_file(folder_.file("missing")).kind, SlotFile::Kind::refused);
  for (std::streamoff const at : {0, 4}) {
    write(tokens_);
    std::fstream(path_, std::ios::in | std::ios::out | std::ios::binary).seekp(at).put('\x7F');
    EXPECT_EQ(read_slot_file(path_).kind, SlotFile::Kind::refused) << at;
  }
}

TEST_F(SimSlotFile, is_not_read_behind_its_end) {
  auto const written = write(tokens_);
  std::ofstream(path_, std::ios::app) << "more";
  auto const read = read_slot_file(path_);
  EXPECT_EQ(read.kind, SlotFile::Kind::fine);
  EXPECT_EQ(read.bytes, written);
}

TEST_F(SimSlotFile, that_cannot_be_written_has_no_bytes) {
  EXPECT_EQ(write_slot_file(folder_.file("missing/a.bin"), tokens_, bytes_per_token), 0U);
}

}  // namespace
}  // namespace slotswap::llama_sim
