// Where an answer ends, and how it is framed anew for the client.
#include "relay/stage.hpp"

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

TEST(RelayAnswers, p05_03_a_chunk_whose_head_came_alone_does_not_end_the_body) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  // The head of the second chunk comes with the first one, its bytes later.
  auto server = stage.upstream.serve(chunked_head() + chunk("first") + "6\r\n");
  auto answer = read_head(client);
  EXPECT_EQ(client.read_until("first\r\n"), "5\r\nfirst\r\n");
  server.send("second\r\n0\r\n\r\n");
  read_body(client, answer);
  EXPECT_EQ(answer.body, "second");
  EXPECT_TRUE(answer.complete);
  client.send(get);
  read_request(server);
  server.send(make_answer("next"));
  EXPECT_EQ(read_answer(client).body, "next");
}

TEST(RelayAnswers, p05_11_an_answer_to_head_has_a_length_and_no_body) {
  Stage stage;
  auto client = stage.client();
  client.send("HEAD /v1/x HTTP/1.1\r\nHost: p\r\n\r\n");
  SeenRequest seen;
  auto server = stage.upstream.serve("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", &seen);
  EXPECT_EQ(seen.method, "HEAD");
  auto const answer = read_answer(client, true);
  EXPECT_EQ(answer.header("content-length"), "1000");
  client.send(get);
  read_request(server);
  server.send(make_answer("next"));
  EXPECT_EQ(read_answer(client).body, "next");
}

TEST(RelayAnswers, p05_11_an_answer_to_head_may_be_chunked_or_endless_by_its_fields) {
  for (auto const* fields : {"Transfer-Encoding: chunked\r\n", ""}) {
    Stage stage;
    auto client = stage.client();
    client.send("HEAD /v1/x HTTP/1.1\r\nHost: p\r\n\r\n");
    auto const server = stage.upstream.serve("HTTP/1.1 200 OK\r\n" + std::string(fields) + "\r\n");
    EXPECT_EQ(read_head(client).status, 200);
    client.send("GET /slotswap/health HTTP/1.1\r\nHost: p\r\n\r\n");
    EXPECT_EQ(read_answer(client).body, R"({"status":"ok"})");
  }
}

struct Bodyless : testing::TestWithParam<char const*> {};

TEST_P(Bodyless, p05_11_has_no_body_and_both_connections_go_on) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  auto server = stage.upstream.serve("HTTP/1.1 " + std::string(GetParam()) + "\r\n\r\n");
  auto const answer = read_answer(client);
  EXPECT_EQ(std::to_string(answer.status), std::string(GetParam()).substr(0, 3));
  EXPECT_EQ(answer.header("transfer-encoding"), std::nullopt);
  client.send(get);
  read_request(server);
  server.send(make_answer("next"));
  EXPECT_EQ(read_answer(client).body, "next");
}

INSTANTIATE_TEST_SUITE_P(table, Bodyless,
                         testing::Values("204 No Content", "304 Not Modified",
                                         "304 Not Modified\r\nContent-Length: 1000"));

struct Unframeable : testing::TestWithParam<char const*> {};

TEST_P(Unframeable, p05_11_is_502_and_the_servers_connection_is_not_used_again) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  auto server = stage.upstream.serve(GetParam());
  expect_problem(read_answer(client), 502, "bad_upstream_response");
  EXPECT_TRUE(server.closed_within(Milliseconds{20'000}));
  stage.expect_alive();
}

// The answers with both framings come from gateways that add a length to a chunked answer.
INSTANTIATE_TEST_SUITE_P(
    table, Unframeable,
    testing::Values("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello",
                    "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                    "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
                    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: "
                    "chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: "
                    "5\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
                    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello",
                    "SSH-2.0-OpenSSH_9.2\r\n\r\n"));

TEST(RelayAnswers, p05_12_a_body_that_ends_with_the_connection_becomes_chunked) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  {
    auto server = stage.upstream.serve("HTTP/1.0 200 OK\r\nContent-Type: text/x\r\n\r\nfirst");
    auto answer = read_head(client);
    EXPECT_EQ(answer.header("transfer-encoding"), "chunked");
    EXPECT_EQ(client.read_until("first\r\n"), "5\r\nfirst\r\n");
    server.send("second");
    server.close();
    read_body(client, answer);
    EXPECT_EQ(answer.body, "second");
    EXPECT_TRUE(answer.complete);
  }
  client.send("GET /slotswap/health HTTP/1.1\r\nHost: p\r\n\r\n");
  EXPECT_EQ(read_answer(client).status, 200);
}

TEST(RelayAnswers, p05_12_an_http_1_0_client_gets_it_raw_and_the_connection_ends) {
  for (auto const& sent :
       {std::string("HTTP/1.1 200 OK\r\n\r\nall"), chunked_head() + chunk("all") + "0\r\n\r\n"}) {
    Stage stage;
    auto client = stage.client();
    client.send("GET /v1/x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    stage.upstream.serve(sent).close();
    auto const answer = read_answer(client);
    EXPECT_EQ(answer.header("transfer-encoding"), std::nullopt);
    EXPECT_EQ(answer.header("content-length"), std::nullopt);
    EXPECT_EQ(answer.header("connection"), "close");
    EXPECT_EQ(answer.body, "all");
    EXPECT_FALSE(client.was_reset());
  }
}

TEST(RelayAnswers, an_http_1_0_client_may_keep_its_connection) {
  Stage stage;
  auto client = stage.client();
  auto const request = "GET /v1/x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
  client.send(request);
  SeenRequest seen;
  auto server = stage.upstream.serve(make_answer("one"), &seen);
  EXPECT_EQ(seen.header("host"), "127.0.0.1:" + std::to_string(stage.upstream.port()));
  auto const first = read_answer(client);
  EXPECT_EQ(first.body, "one");
  EXPECT_EQ(first.header("connection"), "keep-alive");
  client.send("GET /v1/x HTTP/1.0\r\n\r\n");
  read_request(server);
  server.send(make_answer("two"));
  EXPECT_EQ(read_answer(client).body, "two");
  EXPECT_EQ(client.read_to_end(), "");
}

}  // namespace
}  // namespace slotswap::test
