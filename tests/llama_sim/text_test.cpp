#include "llama_sim/text.hpp"

#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

namespace slotswap::llama_sim {
namespace {

std::string rendered(char const* body) {
  return render(boost::json::parse(body).as_object());
}

TEST(SimText, the_tokens_of_a_beginning_are_the_beginning_of_the_tokens) {
  std::string const text = "some words, a_word_that_is_longer_than_a_piece  and two blanks";
  auto const all = tokenize(text);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    auto const part = tokenize(text.substr(0, cut));
    ASSERT_GE(common_prefix(all, part) + 1, part.size()) << cut;
  }
}

TEST(SimText, other_words_are_other_tokens) {
  EXPECT_EQ(tokenize("one two"), tokenize("one two"));
  EXPECT_EQ(common_prefix(tokenize("one two three"), tokenize("one six three")), 1U);
  EXPECT_TRUE(tokenize("").empty());
}

TEST(SimText, a_talk_that_goes_on_keeps_its_beginning) {
  auto const first = tokenize(rendered(R"({"messages":[{"role":"user","content":"hello you"}]})"));
  auto const second = tokenize(rendered(
      R"({"messages":[{"role":"user","content":"hello you"},
                      {"role":"assistant","content":"kalomi kalomi"},
                      {"role":"user","content":"and again"}]})"));
  EXPECT_GE(common_prefix(first, second) + 1, first.size());
  EXPECT_GT(second.size(), first.size());
}

TEST(SimText, parts_of_a_content_are_joined_and_a_system_prompt_comes_first) {
  EXPECT_EQ(rendered(R"({"messages":[{"role":"user","content":[{"type":"text","text":"a"},
                                                         {"type":"image_url","image_url":{}},
                                                         {"type":"text","text":"b"}]}]})"),
            rendered(R"({"messages":[{"role":"user","content":"ab"}]})"));
  EXPECT_EQ(
      rendered(R"({"system":"be kind","messages":[{"role":"user","content":"a"}]})"),
      rendered(
          R"({"messages":[{"role":"system","content":"be kind"},{"role":"user","content":"a"}]})"));
}

TEST(SimText, what_is_generated_follows_from_the_prompt_alone) {
  auto const seed = seed_of(tokenize("a prompt"));
  EXPECT_EQ(generated_word(seed, 3), generated_word(seed, 3));
  EXPECT_NE(generated_word(seed, 3), generated_word(seed_of(tokenize("another")), 3));
  for (int i = 0; i < 50; ++i) EXPECT_EQ(tokenize(generated_word(seed, i)).size(), 1U);
}

}  // namespace
}  // namespace slotswap::llama_sim
