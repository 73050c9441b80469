// How a streamed answer is framed, and where its counts stand.
#include "conformance/conformance.hpp"

namespace slotswap::test {
namespace {

class StreamTest : public Conformance {
 protected:
  HttpAnswer stream(char const* path, std::string const& body) {
    auto answer = post(path, body);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_TRUE(answer.complete);
    return answer;
  }
};

constexpr auto streamed = R"("stream":true,"max_tokens":4,)";

TEST_P(StreamTest, has_the_head_of_an_event_stream) {
  start();
  auto const answer = stream("/v1/chat/completions", chat_body(story("a", 20), streamed));
  EXPECT_EQ(answer.header("content-type"), "text/event-stream");
  EXPECT_EQ(answer.header("transfer-encoding"), "chunked");
  EXPECT_EQ(answer.header("x-accel-buffering"), "no");
  EXPECT_EQ(answer.header("content-length"), std::nullopt);
}

TEST_P(StreamTest, ends_its_connection_without_having_said_so) {
  start();
  RawClient client(subject().port());
  client.send(
      make_request("POST", "/v1/chat/completions", {}, chat_body(story("a", 20), streamed)));
  auto const answer = read_answer(client);
  EXPECT_TRUE(answer.complete);
  EXPECT_EQ(answer.header("connection"), std::nullopt);
  EXPECT_EQ(answer.header("keep-alive"), "timeout=5, max=100");
  // Long before its five idle seconds are over.
  EXPECT_TRUE(client.closed_within(seconds(2.5)));
}

TEST_P(StreamTest, a_chat_has_its_timings_on_the_chunk_that_finishes_it) {
  start();
  auto const answer = stream("/v1/chat/completions", chat_body(story("a", 20), streamed));
  auto const events = events_of(answer.body);
  ASSERT_GE(events.size(), 6U);
  EXPECT_EQ(events.back(), "[DONE]");
  auto const last = object_of(events.at(events.size() - 2));
  EXPECT_EQ(last.at("choices").as_array().at(0).at("finish_reason").as_string(), "length");
  EXPECT_FALSE(last.contains("usage"));
  auto const counts = counts_of(last);
  EXPECT_EQ(counts.generated, 4);
  EXPECT_EQ(look().held, counts.reused + counts.read + counts.generated - 1);
  for (std::size_t i = 0; i + 2 < events.size(); ++i) {
    auto const chunk = object_of(events.at(i));
    EXPECT_EQ(chunk.at("object").as_string(), "chat.completion.chunk");
    EXPECT_FALSE(chunk.contains("timings"));
    EXPECT_TRUE(chunk.at("choices").as_array().at(0).at("finish_reason").is_null());
  }
  auto const first = object_of(events.front());
  EXPECT_EQ(first.at("choices").as_array().at(0).at("delta").at("role").as_string(), "assistant");
}

TEST_P(StreamTest, a_chat_with_usage_has_both_on_an_extra_chunk) {
  start();
  auto const body = chat_body(
      story("a", 20), std::string(streamed) + R"("stream_options":{"include_usage":true},)");
  auto const answer = stream("/v1/chat/completions", body);
  auto const events = events_of(answer.body);
  ASSERT_GE(events.size(), 6U);
  EXPECT_EQ(events.back(), "[DONE]");
  auto const extra = object_of(events.at(events.size() - 2));
  EXPECT_TRUE(extra.at("choices").as_array().empty());
  EXPECT_EQ(extra.at("usage").at("completion_tokens").as_int64(), 4);
  auto const counts = counts_of(extra);
  EXPECT_EQ(counts.generated, 4);
  EXPECT_EQ(extra.at("usage").at("prompt_tokens").as_int64(), counts.reused + counts.read);
  auto const finish = object_of(events.at(events.size() - 3));
  EXPECT_EQ(finish.at("choices").as_array().at(0).at("finish_reason").as_string(), "length");
  EXPECT_FALSE(finish.contains("timings"));
}

TEST_P(StreamTest, a_text_completion_has_usage_and_timings_in_its_last_chunk) {
  start();
  auto const answer = stream("/v1/completions", prompt_body(story("a", 20), streamed));
  auto const events = events_of(answer.body);
  ASSERT_GE(events.size(), 3U);
  EXPECT_EQ(events.back(), "[DONE]");
  auto const last = object_of(events.at(events.size() - 2));
  EXPECT_EQ(last.at("choices").as_array().at(0).at("finish_reason").as_string(), "length");
  EXPECT_EQ(last.at("object").as_string(), "text_completion");
  EXPECT_EQ(counts_of(last).generated, 4);
  EXPECT_EQ(last.at("usage").at("completion_tokens").as_int64(), 4);
}

TEST_P(StreamTest, a_plain_completion_ends_with_stop_and_without_done) {
  start();
  auto const answer = stream("/completion", prompt_body(story("a", 20), streamed));
  auto const events = events_of(answer.body);
  ASSERT_GE(events.size(), 2U);
  auto const first = object_of(events.front());
  EXPECT_FALSE(first.at("stop").as_bool());
  EXPECT_EQ(first.at("id_slot").as_int64(), -1);
  auto const last = object_of(events.back());
  EXPECT_TRUE(last.at("stop").as_bool());
  EXPECT_EQ(last.at("id_slot").as_int64(), 0);
  EXPECT_EQ(counts_of(last).generated, 4);
}

TEST_P(StreamTest, messages_tell_the_cached_tokens_first_and_end_with_message_stop) {
  start();
  complete("x");
  auto const answer = stream("/v1/messages", chat_body(story("a", 20), streamed));
  auto const events = events_of(answer.body);
  ASSERT_GE(events.size(), 6U);
  auto const first = object_of(events.front());
  EXPECT_EQ(first.at("type").as_string(), "message_start");
  auto const& usage = first.at("message").at("usage");
  EXPECT_TRUE(usage.at("cache_read_input_tokens").is_int64());
  EXPECT_GT(usage.at("input_tokens").as_int64(), 0);
  std::vector<std::string> types;
  for (auto const& event : events) {
    auto type = std::string(object_of(event).at("type").as_string());
    if (types.empty() || types.back() != type) types.push_back(std::move(type));
  }
  std::vector<std::string> const wanted{"message_start",       "content_block_start",
                                        "content_block_delta", "content_block_stop",
                                        "message_delta",       "message_stop"};
  EXPECT_EQ(types, wanted);
  EXPECT_EQ(answer.body.find("timings"), std::string::npos);
  EXPECT_NE(answer.body.find("event: message_stop\n"), std::string::npos);
}

TEST_P(StreamTest, the_head_comes_before_the_prompt_is_read_and_words_one_by_one) {
  Wish wish;
  wish.slow = true;
  start(wish);
  RawClient client(subject().port());
  client.send(make_request("POST", "/completion", {},
                           prompt_body(story("a", 20), R"("stream":true,"n_predict":60,)")));
  EXPECT_EQ(read_head(client).status, 200);
  client.read_until("\n\n");
  // More words are still to come: the first one was not kept back for them.
  EXPECT_TRUE(look().busy);
  client.read_until("\"stop\":true");
}

SLOTSWAP_ON_BOTH(StreamTest);

}  // namespace
}  // namespace slotswap::test
