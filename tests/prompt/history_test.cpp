#include <slotswap/prompt/history.hpp>

#include <gtest/gtest.h>

namespace slotswap::prompt {
namespace {

std::shared_ptr<Prompt const> prompt_of(std::size_t characters) {
  auto prompt = std::make_shared<Prompt>();
  prompt->parts.emplace_back("user", std::string(characters, 'x'));
  return prompt;
}

// What a session with one 1,000-character message takes.
std::size_t one() {
  History history(1'000'000);
  history.put("a", prompt_of(1000));
  return history.bytes();
}

TEST(History, keeps_the_last_prompt_of_each_session) {
  History history(1'000'000);
  auto const first = prompt_of(10);
  auto const second = prompt_of(20);
  auto const other = prompt_of(30);
  EXPECT_EQ(history.find("a"), nullptr);
  history.put("a", first);
  history.put("b", other);
  history.put("a", second);
  EXPECT_EQ(history.find("a"), second);
  EXPECT_EQ(history.find("b"), other);
  EXPECT_EQ(history.sessions(), 2U);
}

TEST(History, bytes_are_of_what_is_kept) {
  History history(1'000'000);
  EXPECT_GE(one(), 1000U);
  history.put("a", prompt_of(5000));
  history.put("a", prompt_of(1000));
  EXPECT_EQ(history.bytes(), one());
  history.put("a", nullptr);
  EXPECT_EQ(history.bytes(), 0U);
  EXPECT_EQ(history.sessions(), 0U);
}

TEST(History, the_session_not_asked_for_longest_goes_first) {
  History history(3 * one());
  history.put("a", prompt_of(1000));
  history.put("b", prompt_of(1000));
  history.put("c", prompt_of(1000));
  EXPECT_EQ(history.sessions(), 3U);
  history.put("a", prompt_of(1000));
  history.put("d", prompt_of(1000));
  EXPECT_EQ(history.find("b"), nullptr);
  EXPECT_NE(history.find("a"), nullptr);
  EXPECT_NE(history.find("c"), nullptr);
  EXPECT_NE(history.find("d"), nullptr);
  EXPECT_EQ(history.bytes(), 3 * one());
}

TEST(History, several_go_for_a_large_one) {
  History history(3 * one());
  for (auto const* const session : {"a", "b", "c"}) history.put(session, prompt_of(1000));
  history.put("d", prompt_of(2 * 1000 + 100));
  EXPECT_EQ(history.find("a"), nullptr);
  EXPECT_EQ(history.find("b"), nullptr);
  EXPECT_NE(history.find("c"), nullptr);
  EXPECT_NE(history.find("d"), nullptr);
  EXPECT_LE(history.bytes(), 3 * one());
}

TEST(History, a_prompt_over_the_limit_is_not_kept_and_the_older_one_goes) {
  History history(2 * one());
  history.put("a", prompt_of(1000));
  history.put("b", prompt_of(1000));
  history.put("a", prompt_of(100'000));
  EXPECT_EQ(history.find("a"), nullptr);
  EXPECT_NE(history.find("b"), nullptr);
  EXPECT_EQ(history.bytes(), one());
}

TEST(History, empty_prompts_are_bounded_too) {
  History history(100'000);
  for (auto i = 0; i < 10'000; ++i)
    history.put("session " + std::to_string(i), std::make_shared<Prompt>());
  EXPECT_LE(history.bytes(), 100'000U);
  EXPECT_LT(history.sessions(), 1'000U);
}

TEST(History, a_limit_of_zero_keeps_nothing) {
  History history(0);
  history.put("a", prompt_of(1));
  EXPECT_EQ(history.find("a"), nullptr);
  EXPECT_EQ(history.sessions(), 0U);
}

TEST(History, a_prompt_that_is_being_compared_outlives_its_place) {
  History history(2 * one());
  history.put("a", prompt_of(1000));
  auto const held = history.find("a");
  history.put("a", prompt_of(10));
  EXPECT_EQ(held->parts.front().text.size(), 1000U);
}

}  // namespace
}  // namespace slotswap::prompt
