// One client's requests on one connection, in their order.
#include "relay/stage.hpp"

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

std::string numbered(int number, std::string const& fields = "") {
  return "GET /" + std::to_string(number) + " HTTP/1.1\r\nHost: p\r\n" + fields + "\r\n";
}

TEST(RelayKeepAlive, pipelined_requests_are_answered_in_their_order) {
  Stage stage;
  auto client = stage.client();
  client.send(numbered(0) + "POST /1 HTTP/1.1\r\nHost: p\r\nContent-Length: 3\r\n\r\nabc" +
              numbered(2));
  auto server = stage.upstream.accept();
  for (int i = 0; i < 3; ++i) {
    auto const seen = read_request(server);
    EXPECT_EQ(seen.target, "/" + std::to_string(i));
    server.send(make_answer(seen.target));
  }
  for (int i = 0; i < 3; ++i) EXPECT_EQ(read_answer(client).body, "/" + std::to_string(i));
  EXPECT_FALSE(stage.upstream.called());
}

TEST(RelayKeepAlive, many_pipelined_requests_pass_one_after_the_other) {
  Stage stage;
  auto client = stage.client();
  constexpr int many = 300;
  std::string requests;
  for (int i = 0; i < many; ++i) {
    requests +=
        "GET /slotswap/health HTTP/1.1\r\nHost: p\r\nX: " + std::string(400, 'x') + "\r\n\r\n";
  }
  client.send(requests);
  for (int i = 0; i < many; ++i) EXPECT_EQ(read_answer(client).status, 200);
}

TEST(RelayKeepAlive, nothing_is_read_after_connection_close) {
  Stage stage;
  auto client = stage.client();
  client.send(numbered(0, "Connection: close\r\n") + numbered(1));
  auto const server = stage.upstream.serve(make_answer("ok"));
  auto const answer = read_answer(client);
  EXPECT_EQ(answer.header("connection"), "close");
  EXPECT_EQ(answer.body, "ok");
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_FALSE(stage.upstream.called());
  EXPECT_EQ(stage.request_lines(1).size(), 1U);
}

TEST(RelayKeepAlive, at_the_end_an_idle_connection_is_closed_and_an_answer_under_way_is_the_last) {
  ScriptedUpstream upstream;
  RunningProxy proxy(config_for(upstream.url(), "", "", 20));
  RawClient idle(proxy.port());
  idle.send("GET /slotswap/health HTTP/1.1\r\nHost: p\r\n\r\n");
  EXPECT_EQ(read_answer(idle).status, 200);
  RawClient busy(proxy.port());
  busy.send(get);
  auto server = upstream.accept();
  read_request(server);
  proxy.begin_stop();
  EXPECT_EQ(idle.read_to_end(), "");
  server.send(make_answer("last"));
  auto const answer = read_answer(busy);
  EXPECT_EQ(answer.body, "last");
  EXPECT_EQ(answer.header("connection"), "close");
  EXPECT_EQ(busy.read_to_end(), "");
  proxy.stop();
}

TEST(RelayKeepAlive, at_the_end_idle_connections_are_not_answers_that_were_cut) {
  Stage stage;
  auto client = stage.client();
  client.send("GET /slotswap/health HTTP/1.1\r\nHost: p\r\n\r\n");
  EXPECT_EQ(read_answer(client).status, 200);
  stage.proxy.stop();
  EXPECT_EQ(stage.log.count("event=stop cut="), 0U);
}

TEST(RelayKeepAlive, at_the_end_an_answer_that_takes_too_long_is_cut) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  auto server = stage.upstream.serve(chunked_head() + chunk("data"));
  auto answer = read_head(client);
  client.read_until("data\r\n");
  stage.proxy.stop();
  read_body(client, answer);
  EXPECT_FALSE(answer.complete);
  EXPECT_EQ(stage.log.count("event=stop cut=1"), 1U);
  EXPECT_TRUE(server.closed_within(Milliseconds{20'000}));
}

}  // namespace
}  // namespace slotswap::test
