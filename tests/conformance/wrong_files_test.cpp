// What a restore looks at in a slot file, what it takes without a word, and what ends the server.
#include "conformance/conformance.hpp"
#include "support/temp_dir.hpp"

#include <fstream>
#include <iterator>

namespace slotswap::test {
namespace {

class WrongFilesTest : public Conformance {
 protected:
  HttpAnswer restore() { return slot_call("restore", "a.bin"); }
  void expect_taken(std::int64_t saved) {
    auto const answer = restore();
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(object_of(answer.body).at("n_restored").as_int64(), saved);
  }
  void expect_refused() {
    complete("some words");
    auto const answer = restore();
    ASSERT_EQ(answer.status, 400) << answer.body;
    EXPECT_EQ(error_message(answer),
              "Unable to restore slot: No available space in KV cache or invalid slot save file");
    EXPECT_EQ(look().held, 0);
  }

  /// One folder for the servers of a test.
  Wish shared_wish() {
    Wish wish;
    wish.slot_dir = folder_.path();
    return wish;
  }

 private:
  TempDir folder_;
};

std::string bytes_of(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void flip(std::filesystem::path const& path, std::size_t at, std::size_t count) {
  auto bytes = bytes_of(path);
  for (auto i = at; i < at + count; ++i) bytes.at(i) = static_cast<char>(~bytes.at(i));
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST_P(WrongFilesTest, a_file_that_is_one_byte_short_ends_the_server) {
  auto& server = start();
  auto const file = save(story("a", 40));
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  RawClient client(server.port());
  client.send(make_request("POST", "/slots/0?action=restore", {}, R"({"filename":"a.bin"})"));
  EXPECT_TRUE(server.died());
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_THROW(get("/health"), std::runtime_error);
  server.restart();
  EXPECT_EQ(get("/health").status, 200);
  EXPECT_EQ(look().held, std::nullopt);
}

TEST_P(WrongFilesTest, a_file_cut_at_its_front_is_refused) {
  start();
  for (std::uintmax_t const tenths : {0U, 1U, 4U}) {
    auto const file = save(story("a", 40));
    std::filesystem::resize_file(file, std::filesystem::file_size(file) * tenths / 10);
    expect_refused();
  }
}

TEST_P(WrongFilesTest, bytes_behind_the_end_are_not_read) {
  start();
  auto const file = save(story("a", 40));
  auto const size = static_cast<std::int64_t>(std::filesystem::file_size(file));
  std::ofstream(file, std::ios::app) << "more";
  auto const answer = restore();
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(object_of(answer.body).at("n_read").as_int64(), size);
}

TEST_P(WrongFilesTest, bytes_that_were_flipped_are_taken_without_a_word) {
  start();
  auto const file = save(story("a", 40));
  auto const held = look().held.value();
  for (auto const place : {5, 9}) {
    flip(file, std::filesystem::file_size(file) * static_cast<std::size_t>(place) / 10, 64);
    expect_taken(held);
    EXPECT_EQ(complete(story("a", 40)).read, 1) << "spoiled numbers were reused";
  }
}

TEST_P(WrongFilesTest, another_models_file_is_taken_without_a_word) {
  auto wish = shared_wish();
  start(wish);
  save(story("a", 40));
  auto const held = look().held.value();
  auto const path = object_of(get("/props").body).at("model_path");
  wish.model = "tiny-other";
  start(wish);
  EXPECT_NE(object_of(get("/props").body).at("model_path"), path);
  expect_taken(held);
  EXPECT_EQ(complete(story("a", 40)).read, 1) << "foreign numbers were reused";
}

TEST_P(WrongFilesTest, other_settings_refuse_a_good_file_and_leave_it_alone) {
  auto const wish = shared_wish();
  start(wish);
  auto const file = save(story("a", 600));
  auto const held = look().held.value();
  ASSERT_GT(held, 512);
  auto const good = bytes_of(file);
  auto narrow = wish;
  narrow.context = 512;
  auto other_type = wish;
  other_type.kv_type = "f32";
  auto other_layout = wish;
  other_layout.flash_attention = false;
  for (auto const& other : {narrow, other_type, other_layout}) {
    start(other);
    expect_refused();
    EXPECT_EQ(bytes_of(file), good);
  }
  start(wish);
  expect_taken(held);
}

TEST_P(WrongFilesTest, a_wider_context_takes_the_file_of_a_narrower_one) {
  auto wish = shared_wish();
  start(wish);
  save(story("a", 40));
  auto const held = look().held.value();
  wish.context = 8192;
  start(wish);
  expect_taken(held);
}

SLOTSWAP_ON_BOTH(WrongFilesTest);

}  // namespace
}  // namespace slotswap::test
