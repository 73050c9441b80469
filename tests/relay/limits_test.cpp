// The limits of the configuration, and what a client beyond them is told.
#include "relay/stage.hpp"

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

constexpr std::size_t mib = 1024 * 1024;

std::string post(std::size_t size) {
  return "POST /v1/x HTTP/1.1\r\nHost: p\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n";
}

TEST(RelayLimits, a_length_over_the_limit_is_413_before_the_body_comes) {
  Stage stage("", "limits: {body_mib: 1}\n");
  auto client = stage.client();
  client.send(post(mib + 1));
  expect_problem(read_answer(client), 413, "body_too_large");
  EXPECT_EQ(client.read_to_end(), "");
}

TEST(RelayLimits, a_chunked_body_over_the_limit_is_413_when_it_passes_it) {
  Stage stage("", "limits: {body_mib: 1}\n");
  auto client = stage.client();
  client.send("POST /v1/x HTTP/1.1\r\nHost: p\r\nTransfer-Encoding: chunked\r\n\r\n" +
              chunk(std::string(mib, 'x')) + "1\r\ny");
  expect_problem(read_answer(client), 413, "body_too_large");
  stage.expect_alive();
}

TEST(RelayLimits, a_head_over_the_limit_is_431) {
  Stage stage("", "limits: {head_kib: 2}\n");
  auto client = stage.client();
  client.send("GET / HTTP/1.1\r\nHost: p\r\nX: " + std::string(2048, 'x') + "\r\n\r\n");
  expect_problem(read_answer(client), 431, "head_too_large");
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(stage.log.count("code=head_too_large"), 1U);
}

TEST(RelayLimits, connections_over_the_limit_are_503_until_one_ends) {
  Stage stage("", "limits: {connections: 2}\n");
  {
    auto one = stage.client();
    auto two = stage.client();
    for (auto* client : {&one, &two}) {
      client->send("GET /slotswap/health HTTP/1.1\r\nHost: p\r\n\r\n");
      EXPECT_EQ(read_answer(*client).status, 200);
    }
    auto three = stage.client();
    auto const answer = read_answer(three);
    expect_problem(answer, 503, "too_many_connections");
    EXPECT_TRUE(answer.header("retry-after"));
    EXPECT_EQ(answer.header("connection"), "close");
  }
  EXPECT_TRUE(eventually(
      [&] { return request(stage.proxy.port(), "GET", "/slotswap/health").status == 200; }));
}

TEST(RelayLimits, bodies_over_the_buffer_are_503_until_one_is_done) {
  Stage stage("", "limits: {body_mib: 1, buffer_mib: 1}\n");
  auto one = stage.client();
  one.send(post(mib * 3 / 4) + std::string(mib * 3 / 4, 'x'));
  auto server = stage.upstream.accept();
  read_request(server);
  auto two = stage.client();
  two.try_send(post(mib / 2) + std::string(mib / 2, 'y'));
  auto const answer = read_answer(two);
  expect_problem(answer, 503, "buffers_full");
  EXPECT_TRUE(answer.header("retry-after"));
  server.send(make_answer("ok"));
  EXPECT_EQ(read_answer(one).body, "ok");
  stage.request_lines(2);
  auto three = stage.client();
  three.send(post(mib / 2) + std::string(mib / 2, 'z'));
  read_request(server);
  server.send(make_answer("ok"));
  EXPECT_EQ(read_answer(three).body, "ok");
}

TEST(RelayLimits, a_head_that_does_not_come_in_time_is_408) {
  Stage stage("", "limits: {header_read_seconds: 0.05}\n");
  auto client = stage.client();
  client.send("GET / HTTP/1.1\r\nHos");
  expect_problem(read_answer(client), 408, "request_timeout");
  EXPECT_EQ(client.read_to_end(), "");
}

TEST(RelayLimits, a_body_that_stops_coming_is_408) {
  Stage stage("", "limits: {header_read_seconds: 0.05}\n");
  auto client = stage.client();
  client.send(post(10) + "half");
  expect_problem(read_answer(client), 408, "request_timeout");
  EXPECT_FALSE(stage.upstream.called());
}

// Each byte comes in time; together they do not.
TEST(RelayLimits, a_body_that_drips_is_408_when_the_time_for_the_whole_is_over) {
  Stage stage("", "limits: {header_read_seconds: 20, body_read_seconds: 0.1}\n");
  auto client = stage.client();
  client.send(post(mib));
  EXPECT_TRUE(eventually(
      [&] { return client.try_send("x") == 0 || !stage.log.matching("status=408").empty(); }));
  expect_problem(read_answer(client), 408, "request_timeout");
  EXPECT_TRUE(client.closed_within(Milliseconds{20'000}));
  EXPECT_FALSE(stage.upstream.called());
}

// The server sends as long as somebody takes it: its connection is closed because of the client.
TEST(RelayLimits, a_client_that_never_reads_is_reset_and_frees_its_server) {
  Stage stage("", "limits: {write_stall_seconds: 0.1}\n");
  auto client = stage.client(4096);
  client.send(get);
  auto server = stage.upstream.accept();
  read_request(server);
  server.send(chunked_head());
  auto const piece = chunk(std::string(mib, 'x'));
  std::size_t sent = 0;
  while (sent < 64 && server.try_send(piece) == piece.size()) ++sent;
  EXPECT_LT(sent, 64U);
  EXPECT_EQ(stage.log.count("code=client_stalled"), 1U);
  auto const lines = stage.request_lines(1);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("code=client_gone"), std::string::npos) << lines[0];
  EXPECT_TRUE(client.closed_within(Milliseconds{20'000}));
  EXPECT_TRUE(client.was_reset());
  stage.expect_alive();
}

TEST(RelayLimits, the_time_for_a_head_does_not_run_while_an_answer_is_waited_for) {
  Stage stage("", "limits: {header_read_seconds: 0.05, keep_alive_seconds: 0.05}\n");
  auto client = stage.client();
  auto server = stage.ask(client);
  // Another client's time runs out meanwhile: the timer has been round.
  auto other = stage.client();
  EXPECT_EQ(other.read_to_end(), "");
  server.send(make_answer("late"));
  EXPECT_EQ(read_answer(client).body, "late");
}

TEST(RelayLimits, an_idle_connection_is_closed_without_a_word) {
  Stage stage("", "limits: {keep_alive_seconds: 0.05}\n");
  auto silent = stage.client();
  EXPECT_EQ(silent.read_to_end(), "");
  auto client = stage.client();
  client.send(get);
  auto const server = stage.upstream.serve(make_answer("ok"));
  EXPECT_EQ(read_answer(client).body, "ok");
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_FALSE(client.was_reset());
}

}  // namespace
}  // namespace slotswap::test
