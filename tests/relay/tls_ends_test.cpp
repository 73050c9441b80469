// TLS towards clients, once they are in: bytes both ways, how answers end, and clients that leave.
#include "relay/tls_stage.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace slotswap::test {
namespace {

constexpr Milliseconds patience{20'000};
constexpr std::size_t mib = 1024 * 1024;

TEST(TlsEnds, long_bodies_pass_both_ways_and_the_connection_is_kept) {
  TlsFront front;
  auto client = front.client();
  ASSERT_TRUE(client.handshake());
  std::string const up(8 * mib, 'u');
  std::string const down(8 * mib, 'd');
  for (int i = 0; i < 2; ++i) {
    std::thread sending([&] { client.send(make_request("POST", "/v1/x", {}, up)); });
    auto server = front.upstream.accept();
    EXPECT_TRUE(read_request(server).body == up);
    sending.join();
    std::thread answering([&] { server.send(make_answer(down, {{"Connection", "close"}})); });
    client.read_until("\r\n\r\n");
    EXPECT_TRUE(client.read_exact(down.size()) == down);
    answering.join();
  }
}

TEST(TlsEnds, requests_that_come_in_one_record_or_byte_by_byte_are_all_answered) {
  TlsFront front;
  auto client = front.client();
  ASSERT_TRUE(client.handshake());
  std::string const one = "GET /slotswap/health HTTP/1.1\r\nHost: p\r\n\r\n";
  std::string many;
  for (int i = 0; i < 100; ++i) many += one;
  client.send(many);
  for (auto const c : one) client.send(std::string(1, c));
  for (int i = 0; i < 101; ++i)
    EXPECT_TRUE(client.read_until("{\"status\":\"ok\"}").starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST(TlsEnds, an_answer_that_ends_with_the_connection_ends_with_close_notify) {
  TlsFront front;
  auto client = front.client();
  ASSERT_TRUE(client.handshake());
  client.send("GET /v1/x HTTP/1.0\r\nHost: p\r\n\r\n");
  auto server = front.upstream.accept();
  read_request(server);
  server.send(chunked_head() + chunk("whole") + std::string(end_of_chunks));
  EXPECT_TRUE(client.read_to_end().ends_with("\r\n\r\nwhole"));
  EXPECT_TRUE(client.said_end());
}

// The client's buffers are full when the answer ends: close_notify waits for its place.
TEST(TlsEnds, close_notify_comes_behind_an_answer_that_nobody_read_yet) {
  TlsFront front;
  TlsClient client(RawClient(front.proxy.port(), patience, 4096), front.authority);
  ASSERT_TRUE(client.handshake());
  client.send("GET /v1/x HTTP/1.0\r\nHost: p\r\n\r\n");
  auto server = front.upstream.accept();
  read_request(server);
  std::string const body(4 * mib, 'x');
  std::thread answering([&] {
    server.send(chunked_head() + chunk(body) + std::string(end_of_chunks));
    server.close();
  });
  client.read_until("\r\n\r\n");
  EXPECT_EQ(client.read_to_end().size(), body.size());
  EXPECT_TRUE(client.said_end());
  answering.join();
}

TEST(TlsEnds, an_answer_that_breaks_ends_without_close_notify) {
  TlsFront front;
  for (auto const* const version : {"1.0", "1.1"}) {
    auto client = front.client();
    ASSERT_TRUE(client.handshake());
    client.send("GET /v1/x HTTP/" + std::string(version) + "\r\nHost: p\r\n\r\n");
    auto server = front.upstream.accept();
    read_request(server);
    server.send(chunked_head() + chunk("half"));
    client.read_until("half");
    server.close();
    client.read_to_end();
    EXPECT_FALSE(client.said_end()) << version;
  }
}

TEST(TlsEnds, an_idle_connection_is_closed_with_close_notify) {
  TlsFront front("", "limits: {keep_alive_seconds: 0.1}\n");
  auto client = front.client();
  ASSERT_TRUE(client.handshake());
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_TRUE(client.said_end());
}

TEST(TlsEnds, p05_09_a_client_that_leaves_while_the_server_is_silent) {
  TlsFront front;
  using Leave = void (*)(TlsClient&);
  Leave const ways[] = {[](TlsClient& client) { client.connection().close(); },
                        [](TlsClient& client) { client.connection().reset(); },
                        [](TlsClient& client) { client.connection().half_close(); },
                        [](TlsClient& client) { client.say_end(); }};
  std::size_t left = 0;
  for (auto const leave : ways) {
    auto client = front.client();
    ASSERT_TRUE(client.handshake());
    auto server = front.ask(client);
    leave(client);
    EXPECT_TRUE(server.closed_within(patience)) << left;
    ++left;
    EXPECT_TRUE(eventually([&] { return front.log.count("status=499") == left; })) << left;
  }
}

TEST(TlsEnds, p05_09_a_client_that_leaves_in_the_middle_of_a_stream) {
  TlsFront front;
  auto client = front.client();
  ASSERT_TRUE(client.handshake());
  auto server = front.ask(client);
  server.send(chunked_head() + chunk("one"));
  client.read_until("one\r\n");
  client.connection().close();
  EXPECT_TRUE(server.closed_within(patience));
  EXPECT_TRUE(eventually([&] { return front.log.count("cut=true") == 1; }));
}

}  // namespace
}  // namespace slotswap::test
