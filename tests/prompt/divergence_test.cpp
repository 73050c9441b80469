#include <slotswap/prompt/divergence.hpp>

#include <gtest/gtest.h>

namespace slotswap::prompt {
namespace {

using Kind = Divergence::Kind;

Prompt chat(std::size_t messages) {
  Prompt prompt;
  for (std::size_t i = 0; i < messages; ++i) {
    prompt.parts.emplace_back(i % 2 == 0 ? "user" : "assistant", "text " + std::to_string(i));
  }
  return prompt;
}

Prompt of(std::vector<Part> parts) {
  Prompt prompt;
  prompt.parts = std::move(parts);
  return prompt;
}

TEST(Divergence, equal_prompts_are_the_same) {
  auto const d = compare(chat(14), chat(14));
  EXPECT_EQ(d.kind, Kind::same);
  EXPECT_EQ(d.parts, 14U);
  EXPECT_EQ(d.parts_before, 14U);
  EXPECT_EQ(d.same_parts, 14U);
  EXPECT_EQ(describe(d), "the same as the last prompt (14 messages)");
}

TEST(Divergence, new_messages_follow) {
  auto const d = compare(chat(12), chat(14));
  EXPECT_EQ(d.kind, Kind::extended);
  EXPECT_EQ(d.same_parts, 12U);
  EXPECT_EQ(d.last_same_chars, 6U);  // "text 1" of "text 11" and "text 13"
  EXPECT_EQ(describe(d),
            "14 messages, the last prompt had 12: the first 12 are the same, new messages follow; "
            "the last messages are "
            "the same for their first 6 of 7 characters (before: 7)");
}

TEST(Divergence, the_end_is_cut) {
  auto const d = compare(chat(3), chat(1));
  EXPECT_EQ(d.kind, Kind::cut);
  EXPECT_EQ(d.same_parts, 1U);
  EXPECT_EQ(describe(d),
            "1 message, the last prompt had 3: the first is the same, the end is cut; the last "
            "messages are the same "
            "for their first 5 of 6 characters (before: 6)");
}

TEST(Divergence, the_first_message_that_differs_is_named) {
  auto before = chat(12);
  auto now = chat(14);
  now.parts[11] = Part("user", std::string(2150, 'x') + std::string(6881, 'y'));
  before.parts[11] = Part("user", std::string(2150, 'x') + std::string(6650, 'z'));
  now.parts[13].text = "lore A and more";
  auto const d = compare(before, now);
  EXPECT_EQ(d.kind, Kind::differs);
  EXPECT_EQ(d.same_parts, 11U);
  EXPECT_EQ(d.role, "user");
  EXPECT_EQ(d.same_chars, 2150U);
  EXPECT_EQ(d.chars, 9031U);
  EXPECT_EQ(d.chars_before, 8800U);
  EXPECT_EQ(describe(d),
            "14 messages, the last prompt had 12: the first 11 are the same, message 12 (user) is "
            "the same for its first "
            "2150 of 9031 characters (before: 8800); the last messages are the same for their "
            "first 0 of 15 characters "
            "(before: 8800)");
}

TEST(Divergence, the_last_messages_are_compared_wherever_they_stand) {
  auto const d = compare(
      of({{"system", "s"}, {"user", "lore. task one"}}),
      of({{"system", "s"}, {"user", "part"}, {"assistant", "answer"}, {"user", "lore. task two"}}));
  EXPECT_EQ(d.kind, Kind::differs);
  EXPECT_EQ(d.last_same_chars, 11U);  // "lore. task "
  EXPECT_EQ(d.last_chars, 14U);
  EXPECT_EQ(d.last_chars_before, 14U);
}

TEST(Divergence, the_last_messages_may_be_the_first_that_differs_in_one_prompt_only) {
  auto const longer = of({{"system", "s"}, {"user", "abc"}, {"user", "axyz"}});
  auto const shorter = of({{"system", "s"}, {"user", "axx"}});
  auto const cut = compare(longer, shorter);
  EXPECT_EQ(cut.same_chars, 1U);
  EXPECT_EQ(cut.last_same_chars, 2U);
  EXPECT_EQ(cut.last_chars_before, 4U);
  auto const grown = compare(shorter, longer);
  EXPECT_EQ(grown.last_same_chars, 2U);
  EXPECT_EQ(grown.last_chars, 4U);
  auto const both = compare(shorter, of({{"system", "s"}, {"user", "ay"}}));
  EXPECT_EQ(both.last_same_chars, 1U);
  EXPECT_EQ(both.last_chars, 2U);
  EXPECT_EQ(both.last_chars_before, 3U);
}

TEST(Divergence, another_role_differs_though_the_text_is_the_same) {
  auto const d =
      compare(of({{"user", "a"}, {"user", "b"}}), of({{"user", "a"}, {"assistant", "b"}}));
  EXPECT_EQ(d.kind, Kind::differs);
  EXPECT_EQ(d.role, "assistant");
  EXPECT_EQ(d.same_chars, 1U);
  EXPECT_EQ(
      describe(d),
      "2 messages, the last prompt had 2: the first is the same, message 2 (assistant) has the "
      "same text under "
      "another role; the last messages are the same for their first 1 of 1 characters (before: 1)");
}

TEST(Divergence, characters_are_code_points) {
  // Two emoji with the same first three bytes, after a two-byte letter.
  auto const d = compare(of({{"user", "\xC3\xA4\xF0\x9F\x98\x80"}}),
                         of({{"user", "\xC3\xA4\xF0\x9F\x98\x81!"}}));
  EXPECT_EQ(d.same_chars, 1U);
  EXPECT_EQ(d.chars, 3U);
  EXPECT_EQ(d.chars_before, 2U);
  EXPECT_EQ(d.last_same_chars, 1U);
  EXPECT_EQ(d.last_chars, 3U);
}

TEST(Divergence, a_first_message_that_differs_has_nothing_before_it) {
  EXPECT_EQ(describe(compare(of({{"system", "abc"}}), of({{"system", "abd"}, {"user", "x"}}))),
            "2 messages, the last prompt had 1: message 1 (system) is the same for its first 2 of "
            "3 characters (before: 3); "
            "the last messages are the same for their first 0 of 1 characters (before: 3)");
}

TEST(Divergence, a_message_that_was_cut_or_grew_differs_in_its_text) {
  EXPECT_EQ(describe(compare(of({{"", "once upon"}}), of({{"", "once"}}))),
            "the prompt is the same for its first 4 of 4 characters (before: 9)");
  EXPECT_EQ(
      describe(compare(of({{"user", "ab"}, {"user", "x"}}), of({{"user", "a"}, {"user", "y"}}))),
      "2 messages, the last prompt had 2: message 1 (user) is the same for its first 1 of 1 "
      "characters (before: 2); "
      "the last messages are the same for their first 0 of 1 characters (before: 1)");
}

TEST(Divergence, a_completion_prompt_is_called_prompt) {
  EXPECT_EQ(describe(compare(of({{"", "once upon"}}), of({{"", "once more"}}))),
            "the prompt is the same for its first 5 of 9 characters (before: 9)");
  EXPECT_EQ(describe(compare(of({{"", "once"}}), of({{"", "once"}}))),
            "the same as the last prompt");
}

TEST(Divergence, empty_prompts_are_compared_too) {
  EXPECT_EQ(compare({}, {}).kind, Kind::same);
  EXPECT_EQ(describe(compare({}, {})), "the same as the last prompt (0 messages)");
  EXPECT_EQ(compare({}, chat(2)).kind, Kind::extended);
  EXPECT_EQ(describe(compare({}, chat(2))),
            "2 messages, the last prompt had 0: new messages follow");
  EXPECT_EQ(compare(chat(2), {}).kind, Kind::cut);
  EXPECT_EQ(describe(compare(chat(2), {})), "0 messages, the last prompt had 2: the end is cut");
  EXPECT_EQ(compare(chat(2), {}).last_chars_before, 6U);
}

TEST(Divergence, kinds_have_names) {
  EXPECT_EQ(to_string(Kind::same), "same");
  EXPECT_EQ(to_string(Kind::extended), "extended");
  EXPECT_EQ(to_string(Kind::cut), "cut");
  EXPECT_EQ(to_string(Kind::differs), "differs");
}

}  // namespace
}  // namespace slotswap::prompt
