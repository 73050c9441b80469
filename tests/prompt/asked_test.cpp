// What a request asks for beside its text, as llama-server b11669 was seen to take it.
#include <slotswap/prompt/prompt.hpp>

#include <gtest/gtest.h>

namespace slotswap::prompt {
namespace {

constexpr auto chat = "/v1/chat/completions";
constexpr auto responses = "/v1/responses";
constexpr auto messages = "/v1/messages";

TEST(Asked, the_longest_answer_is_the_one_that_the_server_takes) {
  struct Row {
    char const* path;
    char const* body;
    std::optional<std::uint64_t> tokens;
  };
  for (auto const& row :
       {Row{chat, R"({})", std::nullopt},
        Row{chat, R"({"max_tokens":3})", 3},
        Row{chat, R"({"max_completion_tokens":3})", 3},
        Row{chat, R"({"max_completion_tokens":5,"max_tokens":3})", 5},
        Row{chat, R"({"n_predict":2,"max_completion_tokens":5,"max_tokens":3})", 2},
        Row{chat, R"({"max_output_tokens":4,"max_tokens":3})", 3},
        Row{chat, R"({"max_output_tokens":4})", std::nullopt},
        Row{chat, R"({"n_predict":null,"max_tokens":3})", 3},
        Row{chat, R"({"max_tokens":4,"max_tokens":3})", 3},
        Row{chat, R"({"max_tokens":4.7})", 4},
        Row{chat, R"({"max_tokens":0})", 0},
        Row{chat, R"({"max_tokens":0e400})", 0},
        Row{chat, R"({"n_predict":-1,"max_tokens":3})", std::nullopt},
        Row{chat, R"({"max_tokens":"3"})", std::nullopt},
        Row{chat, R"({"max_tokens":-1e30})", std::nullopt},
        Row{chat, R"({"max_tokens":1e30})", 9223372036854775807U},
        Row{chat, R"({"max_tokens":18446744073709551615})", 9223372036854775807U},
        Row{"/completion", R"({"n_predict":5,"max_tokens":3})", 5},
        Row{"/v1/completions", R"({"max_completion_tokens":5,"max_tokens":3})", 5},
        Row{responses, R"({"max_output_tokens":5,"max_tokens":3})", 5},
        Row{responses, R"({"max_output_tokens":5,"max_completion_tokens":3})", 3},
        Row{responses, R"({"max_output_tokens":5,"n_predict":3})", 3},
        Row{messages, R"({"max_tokens":3,"n_predict":5,"max_completion_tokens":5})", 3},
        Row{messages, R"({"n_predict":5})", std::nullopt},
        Row{chat, "[]", std::nullopt}}) {
    EXPECT_EQ(read(row.path, row.body).max_tokens, row.tokens) << row.path << ' ' << row.body;
  }
}

TEST(Asked, choices_and_slot) {
  struct Row {
    char const* path;
    char const* body;
    std::int64_t choices;
    std::optional<std::int64_t> slot;
  };
  for (auto const& row :
       {Row{chat, R"({})", 1, std::nullopt}, Row{chat, R"({"n":3,"id_slot":2})", 3, 2},
        Row{chat, R"({"n":3,"n_cmpl":2})", 2, std::nullopt},
        Row{chat, R"({"n":null,"id_slot":null})", 1, std::nullopt},
        Row{chat, R"({"n":"3","id_slot":"2"})", 1, std::nullopt},
        Row{chat, R"({"id_slot":-1})", 1, std::nullopt},
        Row{chat, R"({"id_slot":2,"id_slot":0})", 1, 0},
        Row{messages, R"({"n":3,"id_slot":2})", 1, std::nullopt}}) {
    auto const facts = read(row.path, row.body);
    EXPECT_EQ(facts.choices, row.choices) << row.path << ' ' << row.body;
    EXPECT_EQ(facts.id_slot, row.slot) << row.path << ' ' << row.body;
  }
}

TEST(Asked, tokens_are_estimated_by_all_the_text_that_the_model_gets) {
  struct Row {
    char const* path;
    char const* body;
    std::optional<std::uint64_t> tokens;
  };
  for (auto const& row :
       {Row{chat, R"({"messages":[{"role":"user","content":"0123456789012345"}]})", 5},
        Row{chat, R"({"messages":[{"role":"user","content":[{"type":"text","text":"01234567"}]}]})",
            4},
        Row{chat, R"({"messages":[],"model":"0123456789","stop":["0123456789"],"user":"01234567"})",
            0},
        Row{chat, R"({"messages":[],"tools":[{"type":"function","function":{"name":"12345678"}}]})",
            8},
        Row{messages, R"({"system":"01234567","messages":[{"role":"user","content":"0123"}]})", 4},
        Row{"/completion", R"({"prompt":"01234567"})", 2},
        Row{"/completion", R"({"prompt":[1,2,[3,4],"0123"]})", 5},
        Row{"/infill",
            R"({"input_prefix":"0123","input_suffix":"0123","input_extra":[{"text":"0123"}]})", 3},
        Row{responses, R"({"instructions":"0123","input":[{"content":[{"text":"01234567"}]}]})", 3},
        Row{chat, "{}", 0}, Row{chat, "[\"01234567\"]", std::nullopt},
        Row{chat, R"({"messages":[)", std::nullopt}}) {
    EXPECT_EQ(read(row.path, row.body).estimated_tokens, row.tokens) << row.path << ' ' << row.body;
  }
}

TEST(Asked, deep_tools_are_measured_too) {
  constexpr auto depth = 500U;
  auto const body =
      R"({"tools":)" + std::string(depth, '[') + "\"01234567\"" + std::string(depth, ']') + "}";
  EXPECT_EQ(read(chat, body).estimated_tokens, 2U);
}

}  // namespace
}  // namespace slotswap::prompt
