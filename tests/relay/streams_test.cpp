// Streams are forwarded piece by piece: here the server sends a piece only when the client has seen
// the one before, so that a piece that waits for the next one would wait for ever.
#include "relay/stage.hpp"

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

constexpr std::string_view chat =
    "POST /v1/chat/completions HTTP/1.1\r\nHost: p\r\nContent-Length: 15\r\n\r\n"
    R"({"stream":true})";

std::string event(int number) {
  return "data: {\"n\":" + std::to_string(number) + "}\n\n";
}

TEST(RelayStreams, the_head_is_with_the_client_before_the_first_event_and_each_event_at_once) {
  Stage stage;
  auto client = stage.client();
  client.send(chat);
  auto server = stage.upstream.serve(chunked_head({{"Content-Type", "text/event-stream"}}));
  auto answer = read_head(client);
  EXPECT_EQ(answer.header("content-type"), "text/event-stream");
  for (int i = 0; i < 50; ++i) {
    server.send(chunk(event(i)));
    EXPECT_EQ(client.read_until(event(i) + "\r\n"), chunk(event(i)));
  }
  server.send(end_of_chunks);
  read_body(client, answer);
  EXPECT_TRUE(answer.complete);
}

TEST(RelayStreams, half_an_event_does_not_wait_for_its_other_half) {
  Stage stage;
  auto client = stage.client();
  client.send(chat);
  auto server = stage.upstream.serve(chunked_head());
  auto answer = read_head(client);
  server.send(chunk("data: {\"n\""));
  EXPECT_EQ(client.read_until("\"n\"\r\n"), "a\r\ndata: {\"n\"\r\n");
  server.send(chunk(":1}\n\n") + std::string(end_of_chunks));
  read_body(client, answer);
  EXPECT_EQ(answer.body, ":1}\n\n");
}

TEST(RelayStreams, pieces_of_a_counted_body_and_of_an_endless_one_are_forwarded_as_they_come) {
  for (auto const* head : {"Content-Length: 10\r\n", ""}) {
    Stage stage;
    auto client = stage.client();
    client.send("GET /v1/x HTTP/1.0\r\n\r\n");
    auto server = stage.upstream.serve("HTTP/1.1 200 OK\r\n" + std::string(head) + "\r\n");
    read_head(client);
    server.send("first");
    EXPECT_EQ(client.read_exact(5), "first");
    server.send("other");
    EXPECT_EQ(client.read_exact(5), "other");
    server.close();
    EXPECT_EQ(client.read_to_end(), "");
    EXPECT_FALSE(client.was_reset());
  }
}

TEST(RelayStreams, two_streams_do_not_wait_for_each_other) {
  Stage stage;
  auto one = stage.client();
  one.send(chat);
  auto first = stage.upstream.serve(chunked_head());
  read_head(one);
  auto two = stage.client();
  two.send(chat);
  auto second = stage.upstream.serve(chunked_head());
  read_head(two);
  for (int i = 0; i < 5; ++i) {
    second.send(chunk(event(i)));
    EXPECT_EQ(two.read_until("\n\n\r\n"), chunk(event(i)));
    first.send(chunk(event(i)));
    EXPECT_EQ(one.read_until("\n\n\r\n"), chunk(event(i)));
  }
}

}  // namespace
}  // namespace slotswap::test
