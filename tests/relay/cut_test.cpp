// Answers that the server does not bring to their end: a client must never take one for complete.
#include "relay/stage.hpp"

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

struct Row {
  char const* name;
  char const* answer;
  char const* body;  // what came of it
};

struct Cut : testing::TestWithParam<Row> {};

void expect_cut(Stage& stage, char const* body) {
  auto const lines = stage.request_lines(1);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("cut=true"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("code=upstream_broken"), std::string::npos) << lines[0] << body;
  stage.expect_alive();
}

TEST_P(Cut, p05_12_by_a_close_is_a_broken_stream) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  stage.upstream.serve(GetParam().answer).close();
  auto const got = read_answer(client);
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, GetParam().body);
  EXPECT_FALSE(got.complete);
  expect_cut(stage, GetParam().body);
}

TEST_P(Cut, p05_12_by_a_reset_is_a_broken_stream) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  auto server = stage.upstream.serve(GetParam().answer);
  auto got = read_head(client);
  server.reset();
  read_body(client, got);
  EXPECT_FALSE(got.complete);
  expect_cut(stage, GetParam().body);
}

INSTANTIATE_TEST_SUITE_P(
    table, Cut,
    testing::Values(
        Row{"inside_a_length", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", "hello"},
        Row{"before_a_chunk_ends",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhello", "hello"},
        Row{"between_chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
            "hello"},
        Row{"before_the_last_line",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n", "hello"},
        Row{"before_the_first_byte", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", ""},
        Row{"before_the_first_chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", ""}),
    [](auto const& test) { return std::string(test.param.name); });

TEST(RelayCut, p05_12_a_malformed_chunk_is_a_broken_stream) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  auto server = stage.upstream.serve(chunked_head() + chunk("hello"));
  auto answer = read_head(client);
  EXPECT_EQ(client.read_until("hello\r\n"), "5\r\nhello\r\n");
  server.send("zz\r\nhello\r\n0\r\n\r\n");
  read_body(client, answer);
  EXPECT_FALSE(answer.complete);
  EXPECT_TRUE(server.closed_within(Milliseconds{20'000}));
}

TEST(RelayCut, p05_12_the_head_is_with_the_client_also_when_the_first_chunk_is_malformed) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  auto const server = stage.upstream.serve(chunked_head() + "zz\r\n");
  auto const answer = read_answer(client);
  EXPECT_EQ(answer.status, 200);
  EXPECT_FALSE(answer.complete);
}

TEST(RelayCut, p05_12_a_reset_instead_of_the_end_is_a_broken_stream) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  auto server = stage.upstream.serve("HTTP/1.1 200 OK\r\n\r\nhello");
  auto answer = read_head(client);
  EXPECT_EQ(client.read_until("hello\r\n"), "5\r\nhello\r\n");
  server.reset();
  read_body(client, answer);
  EXPECT_FALSE(answer.complete);
}

TEST(RelayCut, p05_12_an_http_1_0_client_sees_it_as_a_reset) {
  Stage stage;
  auto client = stage.client();
  client.send("GET /v1/x HTTP/1.0\r\n\r\n");
  auto server = stage.upstream.serve(chunked_head() + chunk("hello"));
  auto const answer = read_head(client);
  EXPECT_EQ(client.read_exact(5), "hello");
  server.close();
  client.read_to_end();
  EXPECT_TRUE(client.was_reset());
}

TEST(RelayCut, p05_12_no_byte_of_a_first_request_leaks_into_the_next_answer) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  auto server = stage.upstream.serve(make_answer("abc") + "HTTP/1.1 200 OK\r\nX-Stray: 1\r\n");
  EXPECT_EQ(read_answer(client).body, "abc");
  EXPECT_TRUE(server.closed_within(Milliseconds{20'000}));
  stage.expect_alive();
}

}  // namespace
}  // namespace slotswap::test
