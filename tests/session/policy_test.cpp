#include <slotswap/session/policy.hpp>

#include <gtest/gtest.h>

namespace slotswap::session {
namespace {

using config::SideRule;
using config::SideWork;

TEST(ClientPolicy, words) {
  struct Row {
    std::vector<std::string_view> values;
    std::optional<SideWork> work;
  };
  for (auto const& row :
       {Row{{}, std::nullopt}, Row{{""}, std::nullopt}, Row{{" ", "\t"}, std::nullopt},
        Row{{"keep"}, SideWork::normal}, Row{{"no-save"}, SideWork::no_save},
        Row{{"isolate"}, SideWork::isolate}, Row{{" Isolate "}, SideWork::isolate},
        Row{{"keep", "", "keep"}, SideWork::normal}}) {
    auto const policy = client_policy(row.values);
    ASSERT_TRUE(policy.has_value());
    EXPECT_EQ(*policy, row.work);
  }
}

TEST(ClientPolicy, what_is_not_allowed_says_what_is) {
  for (std::vector<std::string_view> const& values : {std::vector<std::string_view>{"no_save"},
                                                      {"elsewhere"},
                                                      {"normal"},
                                                      {"keep, isolate"},
                                                      {"keep", "isolate"},
                                                      {"keep", "x"}}) {
    auto const policy = client_policy(values);
    ASSERT_TRUE(policy.has_error()) << values.front();
    EXPECT_EQ(policy.error().code, "bad_slot_policy");
    EXPECT_NE(policy.error().detail.find("keep, no-save or isolate"), std::string::npos);
  }
}

SideRule rule(std::string header, std::string value, std::string path) {
  SideRule result;
  result.header = std::move(header);
  result.value = std::move(value);
  result.path = std::move(path);
  result.work = SideWork::isolate;
  return result;
}

TEST(SideRules, header_and_path) {
  http::Fields fields;
  fields.add("X-Task", "chat");
  fields.add("x-task", "title_generation");
  fields.add("X-Empty", "");
  struct Row {
    SideRule rule;
    bool matches;
  };
  for (auto const& row :
       {Row{rule("", "", ""), true}, Row{rule("x-TASK", "title*", ""), true},
        Row{rule("X-Task", "chat", ""), true}, Row{rule("X-Task", "Title*", ""), false},
        Row{rule("X-Task", "title", ""), false}, Row{rule("X-Other", "*", ""), false},
        Row{rule("X-Empty", "", ""), true}, Row{rule("X-Task", "", ""), false},
        Row{rule("", "", "/v1/chat/*"), true}, Row{rule("", "", "/v1/*"), true},
        Row{rule("", "", "*"), true}, Row{rule("", "", "/v1/chat"), false},
        Row{rule("", "", "/v1/CHAT/*"), false}, Row{rule("X-Task", "title*", "/completion"), false},
        Row{rule("X-Task", "title*", "/v1/chat/completion?"), true}}) {
    auto const work = side_work({row.rule}, fields, "/v1/chat/completions", prompt::RequestFacts());
    EXPECT_EQ(work.has_value(), row.matches)
        << row.rule.header << '=' << row.rule.value << ' ' << row.rule.path;
  }
}

// A limit that the request does not name is not kept to.
TEST(SideRules, lengths) {
  using Number = std::optional<std::uint64_t>;
  struct Row {
    Number limit;
    Number value;
    bool matches;
  };
  for (auto const& row : {Row{64, 64, true}, Row{64, 65, false}, Row{64, 0, true}, Row{0, 0, true},
                          Row{64, std::nullopt, false}, Row{std::nullopt, std::nullopt, true},
                          Row{std::nullopt, 65, true}}) {
    SideRule by_answer;
    by_answer.max_tokens = row.limit;
    prompt::RequestFacts answer;
    answer.max_tokens = row.value;
    EXPECT_EQ(side_work({by_answer}, {}, "/", answer).has_value(), row.matches);
    SideRule by_prompt;
    by_prompt.prompt_tokens = row.limit;
    prompt::RequestFacts question;
    question.estimated_tokens = row.value;
    EXPECT_EQ(side_work({by_prompt}, {}, "/", question).has_value(), row.matches);
  }
}

TEST(SideRules, the_first_that_matches_counts) {
  http::Fields fields;
  fields.add("X-Task", "title");
  auto first = rule("X-Task", "summary", "");
  auto second = rule("X-Task", "title", "");
  second.work = SideWork::elsewhere;
  auto third = rule("", "", "*");
  third.work = SideWork::normal;
  prompt::RequestFacts const facts;
  EXPECT_EQ(side_work({first, second, third}, fields, "/", facts), SideWork::elsewhere);
  EXPECT_EQ(side_work({first, third, second}, fields, "/", facts), SideWork::normal);
  EXPECT_EQ(side_work({first}, fields, "/", facts), std::nullopt);
  EXPECT_EQ(side_work({}, fields, "/", facts), std::nullopt);
}

}  // namespace
}  // namespace slotswap::session
