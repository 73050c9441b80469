// Answers that come before the request is through: 1xx, Expect, and refusals during an upload.
#include "relay/stage.hpp"

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

constexpr std::size_t mib = 1024 * 1024;

std::string post_head(std::size_t size, std::string const& fields = "") {
  return "POST /v1/x HTTP/1.1\r\nHost: p\r\nContent-Length: " + std::to_string(size) + "\r\n" +
         fields + "\r\n";
}

TEST(RelayEarly, p05_06_interim_answers_are_not_the_answer) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  auto const server = stage.upstream.serve(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" +
      make_answer("final"));
  auto const answer = read_head(client);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(client.read_exact(5), "final");
}

TEST(RelayEarly, p05_06_an_interim_answer_alone_is_waited_past) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  auto server = stage.upstream.serve("HTTP/1.1 100 Continue\r\n\r\n");
  server.send(make_answer("final"));
  EXPECT_EQ(read_answer(client).body, "final");
}

TEST(RelayEarly, p05_06_switching_protocols_is_no_answer_to_us) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  auto const server = stage.upstream.serve("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n");
  expect_problem(read_answer(client), 502, "bad_upstream_response");
}

TEST(RelayEarly, p05_07_expect_100_continue_is_answered_by_us_and_not_forwarded) {
  Stage stage;
  auto client = stage.client();
  client.send(post_head(5, "Expect: 100-continue\r\n"));
  EXPECT_EQ(read_head(client).status, 100);
  EXPECT_FALSE(stage.upstream.called());
  client.send("hello");
  SeenRequest seen;
  auto const server = stage.upstream.serve(make_answer("ok"), &seen);
  EXPECT_EQ(seen.header("expect"), std::nullopt);
  EXPECT_EQ(seen.body, "hello");
  EXPECT_EQ(read_head(client).status, 200);
}

TEST(RelayEarly, p05_07_no_100_when_the_body_has_begun) {
  Stage stage;
  auto client = stage.client();
  client.send(post_head(5, "Expect: 100-continue\r\n") + "hello");
  auto const server = stage.upstream.serve(make_answer("ok"));
  EXPECT_EQ(read_head(client).status, 200);
}

TEST(RelayEarly, p05_07_a_body_that_is_too_long_is_refused_instead_of_asked_for) {
  Stage stage("", "limits: {body_mib: 1}\n");
  auto client = stage.client();
  client.send(post_head(2 * mib, "Expect: 100-continue\r\n"));
  auto answer = read_head(client);
  read_body(client, answer);
  expect_problem(answer, 413, "body_too_large");
  EXPECT_FALSE(stage.upstream.called());
}

TEST(RelayEarly, p05_07_another_expectation_is_417) {
  Stage stage;
  auto client = stage.client();
  client.send(post_head(5, "Expect: wonders\r\n"));
  expect_problem(read_answer(client), 417, "expectation_failed");
  EXPECT_FALSE(stage.upstream.called());
}

// More than the sockets' buffers hold: the server answers and closes while the proxy still writes.
TEST(RelayEarly, p05_08_a_servers_early_401_reaches_the_client) {
  Stage stage;
  auto client = stage.client();
  client.send(post_head(24 * mib) + std::string(24 * mib, 'x'));
  {
    auto server = stage.upstream.accept();
    read_request_head(server);
    server.send(make_answer("no key", {{"Connection", "close"}}, 401));
  }
  auto const answer = read_answer(client);
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(answer.body, "no key");
  stage.expect_alive();
}

TEST(RelayEarly, p05_08_an_early_answer_without_a_close_ends_the_servers_connection) {
  Stage stage;
  auto client = stage.client();
  client.send(post_head(24 * mib) + std::string(24 * mib, 'x'));
  auto server = stage.upstream.accept();
  read_request_head(server);
  server.send(make_answer("early", {}, 413));
  EXPECT_EQ(read_answer(client).body, "early");
  // What is left of the body must not become the next request's head.
  client.send("GET /alive HTTP/1.1\r\nHost: p\r\n\r\n");
  SeenRequest seen;
  auto const next = stage.upstream.serve(make_answer("ok"), &seen);
  EXPECT_EQ(seen.target, "/alive");
  EXPECT_EQ(read_answer(client).body, "ok");
}

TEST(RelayEarly, p05_08_our_own_413_reaches_a_client_that_still_sends) {
  Stage stage("", "limits: {body_mib: 1}\n");
  auto client = stage.client();
  client.try_send(post_head(6 * mib) + std::string(6 * mib, 'x'));
  auto const answer = read_answer(client);
  expect_problem(answer, 413, "body_too_large");
  EXPECT_EQ(answer.header("connection"), "close");
  EXPECT_FALSE(stage.upstream.called());
}

}  // namespace
}  // namespace slotswap::test
