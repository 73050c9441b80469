// Trailers and chunk extensions: bounded, and dropped (RFC 9110 6.5.1 allows it).
#include "relay/stage.hpp"

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

constexpr std::string_view chunked_post =
    "POST /v1/x HTTP/1.1\r\nHost: p\r\nTransfer-Encoding: chunked\r\n\r\n";

// The proxy may answer and close before it was all sent.
void expect_refused(Stage& stage, std::string const& body) {
  auto client = stage.client();
  client.try_send(std::string(chunked_post) + body);
  expect_problem(read_answer(client), 400, "bad_framing");
  stage.expect_alive();
  EXPECT_FALSE(stage.upstream.called());
}

// rest: what follows a first chunk that the client has seen by then.
void expect_cut(Stage& stage, std::string const& rest) {
  auto client = stage.client();
  client.send(get);
  {
    auto server = stage.upstream.serve(chunked_head() + chunk("abc"));
    auto got = read_head(client);
    EXPECT_EQ(client.read_until("abc\r\n"), "3\r\nabc\r\n");
    server.try_send(rest);
    read_body(client, got);
    EXPECT_EQ(got.body, "");
    EXPECT_FALSE(got.complete);
    EXPECT_TRUE(server.closed_within(Milliseconds{20'000}));
  }
  stage.expect_alive();
}

std::string many_fields() {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "X-" + std::to_string(i) + ": v\r\n";
  return text;
}

TEST(RelayTrailers, p05_01_a_70_kb_trailer_of_a_client_is_refused_and_the_proxy_lives) {
  Stage stage;
  expect_refused(stage, "3\r\nabc\r\n0\r\nX-Long: " + std::string(70'000, 'x') + "\r\n\r\n");
}

TEST(RelayTrailers, p05_01_a_70_kb_trailer_of_a_server_cuts_the_answer_and_the_proxy_lives) {
  Stage stage;
  expect_cut(stage, "0\r\nX-Long: " + std::string(70'000, 'x') + "\r\n\r\n");
}

TEST(RelayTrailers, p05_01_a_70_kb_field_in_a_head_is_refused_on_both_sides) {
  Stage stage;
  auto const field = "X-Long: " + std::string(70'000, 'x') + "\r\n";
  auto client = stage.client();
  client.try_send("GET / HTTP/1.1\r\nHost: p\r\n" + field + "\r\n");
  expect_problem(read_answer(client), 431, "head_too_large");
  auto other = stage.client();
  auto server = stage.ask(other);
  server.try_send("HTTP/1.1 200 OK\r\n" + field + "Content-Length: 0\r\n\r\n");
  expect_problem(read_answer(other), 502, "bad_upstream_response");
  stage.expect_alive();
}

TEST(RelayTrailers, p05_02_endless_chunk_extensions_of_a_client_are_refused) {
  Stage stage;
  expect_refused(stage, "3;x=" + std::string(1'000'000, 'y') + "\r\nabc\r\n0\r\n\r\n");
}

TEST(RelayTrailers, p05_02_endless_chunk_extensions_of_a_server_cut_the_answer) {
  Stage stage;
  expect_cut(stage, "3;x=" + std::string(1'000'000, 'y') + "\r\ndef\r\n0\r\n\r\n");
}

TEST(RelayTrailers, p05_02_20_000_trailer_fields_are_refused_on_both_sides) {
  Stage stage;
  expect_refused(stage, "3\r\nabc\r\n0\r\n" + many_fields() + "\r\n");
  expect_cut(stage, "0\r\n" + many_fields() + "\r\n");
}

TEST(RelayTrailers, p05_02_more_fields_than_allowed_are_431) {
  Stage stage;
  std::string fields;
  for (int i = 0; i < 200; ++i) fields += "X-" + std::to_string(i) + ": v\r\n";
  auto client = stage.client();
  client.send("GET / HTTP/1.1\r\nHost: p\r\n" + fields + "\r\n");
  expect_problem(read_answer(client), 431, "too_many_fields");
}

TEST(RelayTrailers, p05_05_trailers_of_a_client_change_nothing) {
  Stage stage;
  auto client = stage.client();
  auto const post = std::string(chunked_post) +
                    "3\r\nabc\r\n0\r\nAuthorization: Bearer evil\r\nConnection: close\r\n\r\n";
  client.send(post);
  SeenRequest seen;
  auto server = stage.upstream.serve(make_answer("one"), &seen);
  EXPECT_EQ(seen.body, "abc");
  EXPECT_EQ(seen.head.find("evil"), std::string::npos) << seen.head;
  auto const first = read_answer(client);
  EXPECT_EQ(first.body, "one");
  EXPECT_EQ(first.header("connection"), std::nullopt);
  client.send(post);
  read_request(server);
  server.send(make_answer("two"));
  EXPECT_EQ(read_answer(client).body, "two");
}

TEST(RelayTrailers, p05_05_trailers_of_a_server_change_nothing) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  auto server = stage.upstream.serve(chunked_head() + chunk("abc") +
                                     "0\r\nX-Late: 1\r\nConnection: close\r\n\r\n");
  auto const first = read_answer(client);
  EXPECT_EQ(first.body, "abc");
  EXPECT_TRUE(first.complete);
  client.send(get);
  read_request(server);
  server.send(make_answer("two"));
  auto const second = read_answer(client);
  EXPECT_EQ(second.body, "two");
  EXPECT_EQ(second.header("x-late"), std::nullopt);
}

}  // namespace
}  // namespace slotswap::test
