#include <slotswap/prompt/prompt.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace slotswap::prompt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr auto chat = "/v1/chat/completions";

std::vector<Part> parts(std::string_view path, std::string_view body) {
  auto const facts = read(path, body);
  EXPECT_TRUE(facts.readable) << body;
  EXPECT_TRUE(facts.prompt) << body;
  return facts.prompt ? facts.prompt->parts : std::vector<Part>{};
}

TEST(Read, messages_become_parts) {
  auto const* const body = R"({"model":"m","messages":[{"role":"system","content":"be kind"},
    {"role":"user","content":"h\u00e4 \ud83d\ude00"},{"role":"assistant","content":null,"tool_calls":[{}]},{"role":"tool"}]})";
  for (auto const* const path : {chat, "/chat/completions", "/v1/messages"}) {
    EXPECT_THAT(parts(path, body),
                ElementsAre(Part("system", "be kind"), Part("user", "h\xC3\xA4 \xF0\x9F\x98\x80"),
                            Part("assistant", ""), Part("tool", "")));
  }
}

TEST(Read, text_parts_of_a_content_list_are_joined) {
  EXPECT_THAT(
      parts(
          chat,
          R"({"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{}},
    "loose",7,{"type":"text","text":null},{"type":"text","text":"b"}]},{"role":"user","content":[]}]})"),
      ElementsAre(Part("user", "ab"), Part("user", "")));
}

TEST(Read, odd_messages_are_left_out_or_empty) {
  EXPECT_THAT(
      parts(
          chat,
          R"({"messages":[1,null,[],"x",{},{"role":5,"content":{"text":"x"}},{"role":"user","content":true}]})"),
      ElementsAre(Part("", ""), Part("", ""), Part("user", "")));
  EXPECT_THAT(parts(chat, R"({"messages":[]})"), IsEmpty());
}

TEST(Read, the_system_text_of_messages_comes_first) {
  EXPECT_THAT(parts("/v1/messages", R"({"messages":[{"role":"user","content":"u"}],"system":"s"})"),
              ElementsAre(Part("system", "s"), Part("user", "u")));
  EXPECT_THAT(
      parts("/v1/messages",
            R"({"system":[{"type":"text","text":"s"},{"type":"text","text":"t"}],"messages":[]})"),
      ElementsAre(Part("system", "st")));
  EXPECT_THAT(parts("/v1/messages", R"({"system":null,"messages":[]})"), IsEmpty());
  EXPECT_THAT(parts(chat, R"({"system":"s","messages":[]})"), IsEmpty());
}

TEST(Read, prompts_become_parts_without_a_role) {
  for (auto const* const path : {"/v1/completions", "/completions", "/completion", "/infill"}) {
    EXPECT_THAT(parts(path, R"({"prompt":"once"})"), ElementsAre(Part("", "once")));
    EXPECT_THAT(parts(path, R"({"prompt":["once",5,"twice",[1,2]]})"),
                ElementsAre(Part("", "once"), Part("", "twice")));
  }
}

TEST(Read, what_holds_no_text_is_no_prompt) {
  struct Row {
    char const* path;
    char const* body;
  };
  for (auto const& row :
       {Row{chat, R"({"messages":null})"}, Row{chat, R"({"messages":{"role":"user"}})"},
        Row{chat, R"({"messages":"hi"})"}, Row{chat, R"({"prompt":"once"})"},
        Row{"/v1/messages", R"({"system":"s"})"}, Row{"/completion", R"({"prompt":[1,2,3]})"},
        Row{"/completion", R"({"prompt":7})"}, Row{"/completion", "{}"},
        Row{"/v1/embeddings", R"({"input":"x","prompt":"y","messages":[]})"},
        Row{"/", R"({"messages":[]})"}}) {
    auto const facts = read(row.path, row.body);
    EXPECT_TRUE(facts.readable) << row.body;
    EXPECT_FALSE(facts.prompt) << row.path << ' ' << row.body;
  }
}

TEST(Read, bodies_that_are_no_object_are_unreadable) {
  for (std::string const& body :
       {std::string(), std::string("[]"), std::string("\"a\""), std::string("null"),
        std::string("{\"model\":\"m\""), std::string("--boundary\r\n"),
        std::string("{\"model\":\"\xFF\"}"), std::string(100'000, '{')}) {
    auto const facts = read(chat, body);
    EXPECT_FALSE(facts.readable) << body.substr(0, 20);
    EXPECT_FALSE(facts.model);
    EXPECT_FALSE(facts.stream);
    EXPECT_FALSE(facts.prompt);
  }
}

TEST(Read, the_model_is_the_last_string_on_every_path) {
  struct Row {
    char const* body;
    std::optional<std::string> model;
  };
  for (auto const& row :
       {Row{R"({"model":"qwen"})", "qwen"}, Row{R"({"model":"a","model":"b"})", "b"},
        Row{R"({"model":"a","model":null})", {}}, Row{R"({"model":7})", {}}, Row{"{}", {}},
        Row{R"({"mod\u0065l":"a"})", "a"}, Row{R"({"x":{"model":"a"}})", {}},
        Row{R"({"model":""})", ""}, Row{"\xEF\xBB\xBF{\"model\":\"a\"}", "a"}}) {
    EXPECT_EQ(read(chat, row.body).model, row.model) << row.body;
    EXPECT_EQ(read("/v1/embeddings", row.body).model, row.model) << row.body;
  }
}

TEST(Read, only_true_asks_for_a_stream) {
  EXPECT_TRUE(read(chat, R"({"stream":true})").stream);
  EXPECT_TRUE(read("/v1/responses", R"({"stream":false,"stream":true})").stream);
  for (auto const* const body : {"{}", R"({"stream":false})", R"({"stream":"true"})",
                                 R"({"stream":1})", R"({"stream":null})"}) {
    EXPECT_FALSE(read(chat, body).stream) << body;
  }
}

TEST(Digest, tells_prompts_apart_and_nothing_else) {
  std::set<std::string> seen;
  for (auto const* const messages :
       {R"([{"role":"user","content":"a"}])", R"([{"role":"user","content":"b"}])",
        R"([{"role":"system","content":"a"}])", R"([{"role":"user","content":""}])",
        R"([{"role":"user","content":"a"},{"role":"user","content":"b"}])",
        R"([{"role":"user","content":"b"},{"role":"user","content":"a"}])",
        R"([{"role":"user","content":"ab"}])", R"([{"role":"user","content":"a4 userb"}])",
        R"([{"role":"use","content":"ra"}])", R"([{"role":"user a","content":""}])"}) {
    auto const begin = std::string(R"({"messages":)") + messages;
    auto const digest = read(chat, begin + "}").prompt_digest;
    EXPECT_TRUE(seen.insert(digest).second) << messages;
    EXPECT_THAT(digest, testing::MatchesRegex("[0-9a-f]{16}"));
    EXPECT_EQ(read(chat, begin + R"(,"model":"m","stream":true})").prompt_digest, digest);
  }
}

TEST(Digest, is_of_the_text_however_it_was_written) {
  EXPECT_EQ(read(chat, R"({"messages":[{"role":"user","content":"h\u00e4"}]})").prompt_digest,
            read("/v1/messages",
                 R"({"messages":[{"content":[{"type":"text","text":"hä"}],"role":"user"}]})")
                .prompt_digest);
}

TEST(Digest, without_a_prompt_there_is_none) {
  for (auto const* const body : {"", "[]", "{}", R"({"messages":7})", R"({"messages":[]})"})
    EXPECT_EQ(read(chat, body).prompt_digest, "") << body;
  EXPECT_EQ(read("/v1/embeddings", R"({"messages":[{"role":"user","content":"a"}]})").prompt_digest,
            "");
}

}  // namespace
}  // namespace slotswap::prompt
