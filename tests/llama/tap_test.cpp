#include <slotswap/llama/tap.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace slotswap::llama {
namespace {

constexpr auto events = "text/event-stream";
constexpr auto body = "application/json; charset=utf-8";
constexpr auto numbers =
    R"("timings":{"cache_n":1994,"prompt_n":32,"prompt_ms":12.5,"predicted_n":4,"predicted_ms":0.6})";

std::string data(std::string const& json) {
  return "data: " + json + "\n\n";
}
std::string event(std::string const& type, std::string const& json) {
  return "event: " + type + '\n' + data(json);
}
std::string timings(int reused) {
  return "\"timings\":{\"cache_n\":" + std::to_string(reused) +
         ",\"prompt_n\":1,\"predicted_n\":2}";
}

Tap tapped(std::string_view type, std::string_view text,
           std::size_t piece = std::string_view::npos) {
  Tap tap(type);
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
    tap.put(text.substr(0, piece));
  return tap;
}

void expect_numbers(Tap tap) {
  auto const said = tap.finish();
  EXPECT_EQ(said.reused, 1994);
  EXPECT_EQ(said.read, 32);
  EXPECT_EQ(said.predicted, 4);
}

void expect_nothing(Tap tap) {
  auto const said = tap.finish();
  EXPECT_EQ(said.reused, std::nullopt);
  EXPECT_EQ(said.read, std::nullopt);
  EXPECT_EQ(said.predicted, std::nullopt);
}

struct Stream {
  char const* name;
  std::string text;
  bool has_numbers;
};

// Every kind of stream with its own end.
std::vector<Stream> streams() {
  auto const chat = std::string(R"({"choices":[{"finish_reason":"stop","index":0,"delta":{}}],)");
  auto const word =
      data(R"({"choices":[{"finish_reason":null,"index":0,"delta":{"content":"hi"}}]})");
  return {
      {"chat", word + data(chat + numbers + "}") + data("[DONE]"), true},
      {"chat with usage",
       word + data(chat + R"("x":1})") +
           data(std::string(R"({"choices":[],"usage":{"prompt_tokens":9},)") + numbers + "}") +
           data("[DONE]"),
       true},
      {"v1 completions",
       data(R"({"choices":[{"text":"a"}]})") +
           data(std::string(R"({"choices":[{"text":""}],)") + numbers + "}") + data("[DONE]"),
       true},
      {"completion",
       data(R"({"content":"a","stop":false,"id_slot":-1})") +
           data(std::string(R"({"content":"","id_slot":0,"stop":true,"prompt":"x",)") + numbers +
                "}"),
       true},
      {"responses",
       event("response.output_text.delta", R"({"type":"response.output_text.delta","delta":"a"})") +
           event("response.completed",
                 std::string(R"({"type":"response.completed","response":{"status":"completed"},)") +
                     numbers + "}"),
       true},
      {"responses, timings inside",
       event("response.completed",
             std::string(R"({"type":"response.completed","response":{"output":[],)") + numbers +
                 "}}"),
       true},
      {"messages",
       event("message_start",
             R"({"type":"message_start","message":{"usage":{"cache_read_input_tokens":1}}})") +
           event("message_stop", R"({"type":"message_stop"})"),
       false},
  };
}

TEST(Tap, reads_the_timings_of_every_kind_of_stream) {
  for (auto const& stream : streams()) {
    SCOPED_TRACE(stream.name);
    for (auto const piece : {std::string_view::npos, std::size_t{1}, std::size_t{7}}) {
      auto const tap = tapped(events, stream.text, piece);
      EXPECT_TRUE(tap.complete());
      EXPECT_TRUE(tap.started());
      stream.has_numbers ? expect_numbers(tap) : expect_nothing(tap);
    }
  }
}

TEST(Tap, a_stream_cut_before_its_end_is_not_complete) {
  for (auto const& stream : streams()) {
    SCOPED_TRACE(stream.name);
    auto const last = stream.text.rfind("data: ");
    EXPECT_FALSE(tapped(events, stream.text.substr(0, last)).complete());
    EXPECT_FALSE(tapped(events, stream.text.substr(0, stream.text.size() - 1)).complete());
  }
  EXPECT_FALSE(tapped(events, data(R"({"error":{"message":"stopped"}})")).complete());
}

TEST(Tap, the_last_timings_count) {
  EXPECT_EQ(
      tapped(events, data('{' + timings(3) + '}') + data('{' + timings(5) + '}') + data("[DONE]"))
          .finish()
          .reused,
      5);
}

TEST(Tap, generated_text_does_not_fool_it) {
  // A model may write anything, also this, as text, as a tool's arguments or as an output item.
  for (
      auto const* const text :
      {R"({"choices":[{"delta":{"content":"\"timings\":{\"cache_n\":7}, \"stop\":true [DONE]"}}]})",
       R"({"choices":[{"delta":{"x":{"timings":{"cache_n":7},"stop":true}}}]})",
       R"({"content":"x","timings":"cache_n"})",
       R"({"type":"other","response":{"timings":{"cache_n":7}}})",
       R"({"type":"response.completed","response":{"output":[{"timings":{"cache_n":7}}]}})",
       R"([{"timings":{"cache_n":7}}])", R"({"content":"x","stop":"true","timings":null})",
       R"("timings")", R"({"timings":{"cache_n":7})"}) {
    expect_nothing(tapped(events, data(text)));
    EXPECT_FALSE(tapped(events, data(text)).complete()) << text;
    expect_nothing(tapped(body, text));
  }
}

TEST(Tap, wrong_numbers_are_left_out) {
  auto const said =
      tapped(body, R"({"timings":{"cache_n":-1,"prompt_n":"5","predicted_n":1.5}})").finish();
  EXPECT_EQ(said.reused, std::nullopt);
  EXPECT_EQ(said.read, std::nullopt);
  EXPECT_EQ(said.predicted, std::nullopt);
  EXPECT_EQ(tapped(body, R"({"timings":{"prompt_n":5}})").finish().read, 5);
}

TEST(Tap, reads_a_whole_body) {
  auto const text = std::string(R"({"choices":[{"message":{"content":"hi"}}],)") + numbers + "}";
  for (auto const piece : {std::string_view::npos, std::size_t{1}, std::size_t{100}})
    expect_numbers(tapped(body, text, piece));
  expect_numbers(tapped("Application/JSON", text));
  expect_nothing(tapped(body, text.substr(0, text.size() - 1)));
}

TEST(Tap, of_a_body_over_a_mebibyte_nothing_is_said) {
  auto const of_size = [](std::size_t size) {
    auto const tail = std::string("\",") + numbers + "}";
    auto const head = std::string("{\"content\":\"");
    return head + std::string(size - head.size() - tail.size(), 'x') + tail;
  };
  constexpr std::size_t mebibyte = 1024 * 1024;
  expect_numbers(tapped(body, of_size(mebibyte), 10'000));
  expect_nothing(tapped(body, of_size(mebibyte + 1), 10'000));
  expect_nothing(tapped(body, of_size(mebibyte + 1)));
  // What follows a cut body is not taken for one.
  Tap tap(body);
  tap.put(std::string(mebibyte + 1, ' '));
  tap.put(std::string("{") + numbers + "}");
  expect_nothing(tap);
}

TEST(Tap, an_event_over_the_bound_still_ends_its_stream) {
  auto const big = std::string(1100 * 1024, 'x');
  auto const completion =
      tapped(events, data(R"({"content":"","stop":true,"prompt":")" + big + "\"," + numbers + "}"));
  EXPECT_TRUE(completion.complete());
  expect_nothing(completion);
  EXPECT_TRUE(tapped(events, event("response.completed",
                                   R"({"type":"response.completed","x":")" + big + "\"}"))
                  .complete());
  EXPECT_FALSE(tapped(events, data(R"({"content":")" + big + "\",\"stop\":false}")).complete());
}

TEST(Tap, a_prompt_of_half_a_mebibyte_in_the_last_event_is_read) {
  expect_numbers(tapped(events, data(R"({"stop":true,"prompt":")" + std::string(512 * 1024, 'x') +
                                     "\"," + numbers + "}")));
}

TEST(Tap, pings_do_not_start_an_answer) {
  EXPECT_FALSE(tapped(events, ":\n\n:\n\n").started());
  EXPECT_TRUE(tapped(events, ":\n\n" + data("{}")).started());
  EXPECT_FALSE(tapped(body, "").started());
  EXPECT_TRUE(tapped(body, "{").started());
  EXPECT_TRUE(tapped("text/plain", "x").started());
}

struct Words {
  char const* type;
  std::string text;
  std::string said;
};

TEST(Tap, hears_a_router_that_lost_the_models_process) {
  std::string const lost = "proxy error: Failed to read connection";
  auto const quoted = R"({"content":")" + lost + "\"}";
  for (auto const& row : {
           Words{body, lost, lost},
           Words{body, lost + "\r\n", lost},
           Words{body, R"({"content":"half a)" + lost, lost},
           Words{body, quoted, ""},
           Words{body, R"({"error":{"message":"proxy error: no"}})", ""},
           Words{body, lost + std::string(300, '.'), ""},
           Words{body, "{}", ""},
           Words{body, "", ""},
           Words{events, lost, lost},
           Words{events, data("{}") + lost, lost},
           Words{events, data("{}") + "data: {\"con" + lost, lost},
           Words{events, data(quoted), ""},
           Words{events, data(quoted) + "data: " + quoted, ""},
           Words{events, data("[DONE]") + lost, ""},
           Words{events, event("message_stop", "{}") + lost, ""},
           Words{events, data(R"({"content":"","stop":true})") + lost, ""},
           Words{events, data("{}"), ""},
           Words{"text/plain", lost, ""},
       }) {
    for (std::size_t const piece : {std::size_t{1}, std::string_view::npos})
      EXPECT_EQ(tapped(row.type, row.text, piece).proxy_error(), row.said) << row.text;
  }
}

TEST(Tap, other_types_are_not_read) {
  auto const text = std::string("{") + numbers + "}";
  for (auto const* const type : {"", "text/plain", "application/jsonl", "text/html"})
    expect_nothing(tapped(type, text));
  expect_nothing(tapped("text/plain", data(text)));
}

}  // namespace
}  // namespace slotswap::llama
