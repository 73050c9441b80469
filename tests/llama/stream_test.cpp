#include <slotswap/json/scan.hpp>
#include <slotswap/llama/stream.hpp>

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

using llama::Dialect;

TEST(Stream, each_path_has_its_dialect) {
  for (auto const* path : {"/chat/completions", "/v1/chat/completions", "/v1/completions"})
    EXPECT_EQ(llama::dialect_of(path), Dialect::chat) << path;
  for (auto const* path :
       {"/completion", "/v1/completion", "/completions", "/responses", "/v1/responses"})
    EXPECT_EQ(llama::dialect_of(path), Dialect::plain) << path;
  for (auto const* path : {"/messages", "/v1/messages"})
    EXPECT_EQ(llama::dialect_of(path), Dialect::anthropic) << path;
  for (auto const* path : {"/infill", "/v1/embeddings", "/v1", "", "/v1/messages/count_tokens"})
    EXPECT_FALSE(llama::dialect_of(path).has_value()) << path;
}

TEST(Stream, a_heartbeat_is_no_event_but_for_anthropics_own) {
  EXPECT_EQ(llama::heartbeat(Dialect::chat), ":\n");
  EXPECT_EQ(llama::heartbeat(Dialect::plain), ":\n");
  EXPECT_EQ(llama::heartbeat(Dialect::anthropic), "event: ping\ndata: {\"type\": \"ping\"}\n\n");
}

TEST(Stream, what_stands_under_error_is_passed_as_it_is) {
  constexpr auto body = R"({"error":{"code":400,"message":"a \"b\"","n_ctx":1.0},"x":1})";
  constexpr auto error = R"({"code":400,"message":"a \"b\"","n_ctx":1.0})";
  EXPECT_EQ(llama::error_events(Dialect::plain, 400, body),
            std::string("data: {\"error\":") + error + "}\n\n");
  EXPECT_EQ(llama::error_events(Dialect::chat, 400, body),
            std::string("data: {\"error\":") + error + "}\n\ndata: [DONE]\n\n");
  EXPECT_EQ(llama::error_events(Dialect::anthropic, 400, body),
            std::string("event: error\ndata: {\"type\":\"error\",\"error\":") + error + "}\n\n");
}

TEST(Stream, an_error_over_several_lines_is_one_event) {
  auto const events =
      llama::error_events(Dialect::plain, 500, "{\r\n \"error\": {\n  \"code\": 500\n }\n}\n");
  EXPECT_EQ(events.find('\n'), events.size() - 2) << events;
  EXPECT_NE(events.find("\"code\": 500"), std::string::npos) << events;
}

TEST(Stream, any_other_body_is_quoted) {
  constexpr auto text = "proxy error: \"gone\"\n\xFF";
  for (auto const* body : {text, "{\"fault\":1}", "[1]", ""}) {
    auto const events = llama::error_events(Dialect::plain, 502, body);
    ASSERT_TRUE(events.starts_with("data: ") && events.ends_with("\n\n")) << events;
    auto const parsed = json::parse(std::string_view(events).substr(6, events.size() - 8));
    ASSERT_TRUE(parsed.has_value()) << events;
    EXPECT_EQ(parsed->at("error").at("code").as_int64(), 502);
    EXPECT_EQ(parsed->at("error").at("type").as_string(), "server_error");
  }
  EXPECT_NE(llama::error_events(Dialect::plain, 500, text).find(R"(proxy error: \"gone\"\n)"),
            std::string::npos);
}

TEST(Stream, a_long_body_is_cut) {
  auto const events = llama::error_events(Dialect::chat, 500, std::string(100'000, 'x'));
  EXPECT_LT(events.size(), 1000U);
}

}  // namespace
}  // namespace slotswap::test
