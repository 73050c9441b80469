// Bytes on the wire that a well-behaved peer would never send, and bodies of a middling size.
#include "relay/stage.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace slotswap::test {
namespace {

using namespace std::string_view_literals;

constexpr Milliseconds patience{20'000};

struct Row {
  char const* name;
  std::string request;
  char const* code = "bad_framing";
};

std::ostream& operator<<(std::ostream& out, Row const& row) {
  return out << row.name;
}

std::string post(std::string_view fields, std::string_view body) {
  return "POST /v1/x HTTP/1.1\r\nHost: p\r\n" + std::string(fields) + "\r\n" + std::string(body);
}

struct Malformed : testing::TestWithParam<Row> {};

TEST_P(Malformed, p05_04_a_request_is_400_and_reaches_no_server) {
  Stage stage;
  auto client = stage.client();
  client.send(GetParam().request);
  expect_problem(read_answer(client), 400, GetParam().code);
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_FALSE(stage.upstream.called());
}

INSTANTIATE_TEST_SUITE_P(
    table, Malformed,
    testing::Values(
        Row{"coding_identity_and_length",
            post("Transfer-Encoding: identity\r\nContent-Length: 3\r\n", "abc")},
        Row{"coding_chunked_in_two_fields",
            post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
        Row{"coding_chunked_in_one_list",
            post("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n")},
        Row{"coding_empty", post("Transfer-Encoding:\r\n", "")},
        Row{"length_empty", post("Content-Length:\r\n", "")},
        Row{"length_negative", post("Content-Length: -1\r\n", "")},
        Row{"length_hexadecimal", post("Content-Length: 0x3\r\n", "abc")},
        Row{"length_two_numbers", post("Content-Length: 3 3\r\n", "abc")},
        Row{"chunk_size_over_64_bits",
            post("Transfer-Encoding: chunked\r\n", "10000000000000003\r\nabc\r\n0\r\n\r\n")},
        Row{"chunk_line_of_bare_lf", post("Transfer-Encoding: chunked\r\n", "3\nabc\n0\n\n")},
        Row{"bare_cr_in_a_field", post("X-A: b\rX-C: d\r\n", ""), "bad_request"},
        Row{"nul_in_a_field", post("X-A: b\0c\r\n"sv, ""), "bad_request"},
        Row{"field_without_colon", post("X-A\r\n", ""), "bad_request"},
        Row{"tls_hello", "\x16\x03\x01\x02\x01\x03\x03\r\n\r\n", "bad_request"}),
    [](auto const& test) { return std::string(test.param.name); });

TEST(RelayWire, p05_06_a_server_that_only_announces_is_given_up) {
  Stage stage;
  auto client = stage.client();
  auto server = stage.ask(client);
  for (int i = 0; i < 100; ++i) server.try_send("HTTP/1.1 102 Processing\r\n\r\n");
  expect_problem(read_answer(client), 502, "bad_upstream_response");
  EXPECT_TRUE(server.closed_within(patience));
}

TEST(RelayWire, p05_10_what_a_server_says_unasked_on_a_kept_connection_is_no_answer) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  auto kept = stage.upstream.serve(make_answer("one"));
  EXPECT_EQ(read_answer(client).body, "one");
  stage.request_lines(1);
  kept.send(make_answer("idle too long", {{"Connection", "close"}}, 408));
  client.send(get);
  auto const fresh = stage.upstream.serve(make_answer("two"));
  auto const answer = read_answer(client);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "two");
  EXPECT_TRUE(kept.closed_within(patience));
}

TEST(RelayWire, p05_14_a_chunked_megabyte_goes_up_whole) {
  Stage stage;
  std::string body;
  std::string chunks;
  for (int i = 0; body.size() < 1'000'000; ++i) {
    std::string const piece(1 + static_cast<std::size_t>(i) * 37 % 4099,
                            static_cast<char>(i % 256));
    body += piece;
    chunks += chunk(piece);
  }
  auto client = stage.client();
  client.send(post("Transfer-Encoding: chunked\r\n", chunks + std::string(end_of_chunks)));
  SeenRequest seen;
  auto const server = stage.upstream.serve(make_answer("ok"), &seen);
  EXPECT_TRUE(seen.body == body);
  EXPECT_EQ(seen.header("content-length"), std::to_string(body.size()));
  EXPECT_EQ(read_answer(client).body, "ok");
}

// All of it is one packet, so the proxy finds the event and what breaks the framing in one read.
TEST(RelayWire, p05_12_an_event_just_before_the_break_is_not_lost) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  auto const server = stage.upstream.serve(chunked_head() + chunk("data: 1\n\n") + "zz\r\n");
  auto const answer = read_answer(client);
  EXPECT_EQ(answer.body, "data: 1\n\n");
  EXPECT_FALSE(answer.complete);
}

}  // namespace
}  // namespace slotswap::test
