// Requests whose end two parsers could see at different places (RFC 9112 6.3, 11.2): refused before
// a byte of them reaches the server, and the connection ends.
#include "relay/stage.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace slotswap::test {
namespace {

constexpr std::string_view smuggled = "GET /smuggled HTTP/1.1\r\nHost: p\r\n\r\n";

struct Row {
  char const* name;
  std::string head;  // without the blank line
  std::string body;
  char const* code = "bad_framing";
};

std::ostream& operator<<(std::ostream& out, Row const& row) {
  return out << row.name;
}

std::string post(std::string const& fields) {
  return "POST /v1/x HTTP/1.1\r\nHost: p\r\n" + fields;
}

struct Framing : testing::TestWithParam<Row> {};

TEST_P(Framing, p05_04_an_uncertain_end_is_400_and_nothing_is_smuggled) {
  auto const& row = GetParam();
  Stage stage;
  auto client = stage.client();
  client.send(row.head + "\r\n" + row.body + std::string(smuggled));
  expect_problem(read_answer(client), 400, row.code);
  EXPECT_EQ(client.read_to_end(), "");
  stage.expect_alive();
  EXPECT_FALSE(stage.upstream.called());
}

constexpr char const* chunked_abc = "3\r\nabc\r\n0\r\n\r\n";

INSTANTIATE_TEST_SUITE_P(
    table, Framing,
    testing::Values(
        Row{"coding_gzip_and_length", post("Transfer-Encoding: gzip\r\nContent-Length: 3\r\n"),
            "abc"},
        Row{"coding_xchunked_and_length",
            post("Transfer-Encoding: xchunked\r\nContent-Length: 3\r\n"), "abc"},
        Row{"coding_gzip", post("Transfer-Encoding: gzip\r\n"), ""},
        Row{"coding_chunked_then_gzip", post("Transfer-Encoding: chunked, gzip\r\n"), chunked_abc},
        Row{"coding_gzip_then_chunked", post("Transfer-Encoding: gzip, chunked\r\n"), chunked_abc},
        Row{"coding_twice", post("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n"),
            chunked_abc},
        Row{"coding_in_http_1_0", "POST /v1/x HTTP/1.0\r\nTransfer-Encoding: chunked\r\n",
            chunked_abc},
        Row{"coding_and_length", post("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n"),
            chunked_abc},
        Row{"length_and_coding", post("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"),
            chunked_abc},
        Row{"length_list", post("Content-Length: 3, 3\r\n"), "abc"},
        Row{"length_twice", post("Content-Length: 3\r\nContent-Length: 3\r\n"), "abc"},
        Row{"length_differs", post("Content-Length: 3\r\nContent-Length: 4\r\n"), "abc"},
        Row{"length_with_sign", post("Content-Length: +3\r\n"), "abc"},
        Row{"length_huge", post("Content-Length: 99999999999999999999\r\n"), "abc"},
        Row{"folded_field", post("X-Folded: a\r\n b\r\n"), ""},
        Row{"folded_coding", post("Transfer-Encoding:\r\n chunked\r\n"), chunked_abc},
        Row{"blank_before_colon", post("Content-Length : 3\r\n"), "abc", "bad_request"},
        Row{"bare_lf", "GET /v1/x HTTP/1.1\nHost: p\r\n", "", "bad_request"},
        Row{"no_host", "GET /v1/x HTTP/1.1\r\n", "", "bad_request"},
        Row{"two_hosts", "GET /v1/x HTTP/1.1\r\nHost: p\r\nHost: q\r\n", "", "bad_request"},
        Row{"absolute_target", "GET http://q/v1/x HTTP/1.1\r\nHost: p\r\n", "", "bad_request"},
        Row{"eight_bit_target", "GET /v1/\xC3\xA4 HTTP/1.1\r\nHost: p\r\n", "", "bad_request"},
        Row{"lower_case_method", "get /v1/x HTTP/1.1\r\nHost: p\r\n", "", "bad_request"},
        Row{"unknown_method", "CONNECT /v1/x HTTP/1.1\r\nHost: p\r\n", "", "bad_request"},
        Row{"chunk_size_malformed", post("Transfer-Encoding: chunked\r\n"),
            "0x3\r\nabc\r\n0\r\n\r\n"},
        Row{"chunk_without_end", post("Transfer-Encoding: chunked\r\n"), "3\r\nabcd\r\n0\r\n\r\n"},
        Row{"length_in_a_trailer", post("Transfer-Encoding: chunked\r\n"),
            "3\r\nabc\r\n0\r\nContent-Length: 3\r\n\r\n"},
        Row{"length_named_by_connection",
            post("Connection: content-length\r\nContent-Length: 3\r\n"), "abc"},
        Row{"coding_named_by_connection",
            post("Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked\r\n"), chunked_abc},
        Row{"host_named_by_connection", post("Connection: host\r\n"), ""}),
    [](auto const& test) { return std::string(test.param.name); });

TEST(RelayFraming, p05_15_a_request_that_comes_byte_by_byte_is_the_same_request) {
  Stage stage;
  auto client = stage.client();
  std::string const request =
      "POST /v1/x HTTP/1.1\r\nHost: p\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n4;x=1\r\ndefg\r\n0\r\nA: b\r\n\r\n";
  for (auto const byte : request) client.send(std::string_view(&byte, 1));
  SeenRequest seen;
  auto const server = stage.upstream.serve(make_answer("ok"), &seen);
  EXPECT_EQ(seen.body, "abcdefg");
  EXPECT_EQ(seen.header("content-length"), "7");
  EXPECT_EQ(read_answer(client).body, "ok");
}

TEST(RelayFraming, p05_15_an_answer_that_comes_byte_by_byte_is_the_same_answer) {
  Stage stage;
  auto client = stage.client();
  auto server = stage.ask(client);
  auto const answer = chunked_head({{"X-A", "b"}}) + chunk("abc") + chunk("defg") + "0\r\n\r\n";
  for (auto const byte : answer) server.send(std::string_view(&byte, 1));
  auto const got = read_answer(client);
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.header("x-a"), "b");
  EXPECT_EQ(got.body, "abcdefg");
  EXPECT_TRUE(got.complete);
}

TEST(RelayFraming, p05_15_a_clean_end_between_two_requests_is_no_fault) {
  Stage stage;
  {
    auto client = stage.client();
    client.send(get);
    auto const server = stage.upstream.serve(make_answer("ok"));
    read_answer(client);
  }
  stage.expect_alive();
  EXPECT_EQ(stage.log.count("event=reject"), 0U);
}

TEST(RelayFraming, a_reset_inside_a_head_costs_only_its_connection) {
  Stage stage;
  auto client = stage.client();
  client.send("POST /v1/x HTT");
  client.reset();
  stage.expect_alive();
  EXPECT_FALSE(stage.upstream.called());
}

}  // namespace
}  // namespace slotswap::test
