// Which fields pass, in both directions (RFC 9110 7.6.1).
#include "relay/stage.hpp"

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

SeenRequest forwarded(Stage& stage, std::string const& fields) {
  auto client = stage.client();
  client.send("GET /v1/x?a=b%20c HTTP/1.1\r\nHost: p:1\r\n" + fields + "\r\n");
  SeenRequest seen;
  auto const server = stage.upstream.serve(make_answer("ok"), &seen);
  EXPECT_EQ(read_answer(client).status, 200);
  return seen;
}

TEST(RelayHeaders, p05_13_fields_of_one_hop_do_not_reach_the_server) {
  Stage stage;
  auto const seen = forwarded(
      stage,
      "Connection: keep-alive, X-Foo\r\nX-Foo: 1\r\nconnection: x-bar\r\nX-Bar: 2\r\n"
      "Keep-Alive: timeout=5\r\nProxy-Connection: keep-alive\r\nTE: trailers\r\nTrailer: X-T\r\n"
      "Upgrade: h2c\r\nProxy-Authorization: Basic eA==\r\nX-Stays: 3\r\n");
  for (auto const* name : {"connection", "x-foo", "x-bar", "keep-alive", "proxy-connection", "te",
                           "trailer", "upgrade", "proxy-authorization"}) {
    EXPECT_EQ(seen.count(name), 0U) << name;
  }
  EXPECT_EQ(seen.header("x-stays"), "3");
  EXPECT_EQ(seen.target, "/v1/x?a=b%20c");
  EXPECT_EQ(seen.header("host"), "127.0.0.1:" + std::to_string(stage.upstream.port()));
  EXPECT_EQ(seen.count("host"), 1U);
  EXPECT_EQ(seen.count("content-length"), 0U);
}

TEST(RelayHeaders, the_word_for_slotswap_does_not_reach_the_server) {
  Stage stage;
  auto const seen = forwarded(
      stage, "X-Slot-Policy: keep\r\nx-slot-policy: no word of ours\r\nX-Session-ID: a\r\n");
  EXPECT_EQ(seen.count("x-slot-policy"), 0U);
  EXPECT_EQ(seen.header("x-session-id"), "a");
}

TEST(RelayHeaders, p05_13_fields_of_one_hop_do_not_reach_the_client) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  auto const server = stage.upstream.serve(make_answer("ok", {{"Connection", "keep-alive, X-Foo"},
                                                              {"X-Foo", "1"},
                                                              {"Keep-Alive", "timeout=5"},
                                                              {"Proxy-Connection", "keep-alive"},
                                                              {"Trailer", "X-T"},
                                                              {"Upgrade", "h2c"},
                                                              {"Proxy-Authenticate", "Basic"},
                                                              {"X-Stays", "3"}}));
  auto const answer = read_answer(client);
  for (auto const* name : {"connection", "x-foo", "keep-alive", "proxy-connection", "trailer",
                           "upgrade", "proxy-authenticate"}) {
    EXPECT_EQ(answer.count(name), 0U) << name;
  }
  EXPECT_EQ(answer.header("x-stays"), "3");
  EXPECT_EQ(answer.head.substr(0, 17), "HTTP/1.1 200 Text");
}

TEST(RelayHeaders, p05_13_a_server_that_names_its_length_in_connection_is_framed_anew) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  auto const server =
      stage.upstream.serve(make_answer("hello", {{"Connection", "Content-Length"}}));
  auto const answer = read_answer(client);
  EXPECT_EQ(answer.body, "hello");
  EXPECT_EQ(answer.count("content-length") + answer.count("transfer-encoding"), 1U);
}

TEST(RelayHeaders, repeated_fields_stay_apart_and_in_order) {
  Stage stage;
  auto client = stage.client();
  client.send("GET / HTTP/1.1\r\nHost: p\r\nX-Two: b\r\nX-One: 1\r\nX-Two: a, c\r\n\r\n");
  SeenRequest seen;
  auto const server = stage.upstream.serve(
      make_answer("", {{"Set-Cookie", "b=1"}, {"X-One", "1"}, {"Set-Cookie", "a=2; x"}}), &seen);
  EXPECT_NE(seen.head.find("X-Two: b\r\nX-One: 1\r\nX-Two: a, c\r\n"), std::string::npos)
      << seen.head;
  auto const answer = read_answer(client);
  EXPECT_NE(answer.head.find("Set-Cookie: b=1\r\nX-One: 1\r\nSet-Cookie: a=2; x\r\n"),
            std::string::npos)
      << answer.head;
}

TEST(RelayHeaders, without_a_key_of_its_own_the_clients_is_forwarded) {
  Stage stage;
  auto const seen = forwarded(stage, "Authorization: Bearer c\r\nX-Api-Key: c\r\n");
  EXPECT_EQ(seen.header("authorization"), "Bearer c");
  EXPECT_EQ(seen.header("x-api-key"), "c");
}

TEST(RelayHeaders, the_servers_key_takes_the_clients_place) {
  Stage stage("api_key: s3cret");
  for (auto const* fields : {"Authorization: Bearer c\r\nX-Api-Key: c\r\n", "",
                             "Connection: Authorization\r\nAuthorization: Bearer c\r\n",
                             "Authorization: Bearer c\r\nAuthorization: Bearer d\r\n"}) {
    auto client = stage.client();
    client.send("GET / HTTP/1.1\r\nHost: p\r\n" + std::string(fields) + "\r\n");
    SeenRequest seen;
    auto server = stage.upstream.serve(make_answer("ok", {{"Connection", "close"}}), &seen);
    EXPECT_EQ(seen.header("authorization"), "Bearer s3cret") << fields;
    EXPECT_EQ(seen.count("authorization"), 1U) << fields;
    EXPECT_EQ(seen.count("x-api-key"), 0U) << fields;
    EXPECT_EQ(read_answer(client).status, 200);
  }
  stage.request_lines(4);
  EXPECT_EQ(stage.log.count("s3cret"), 0U);
}

TEST(RelayHeaders, a_url_with_a_path_goes_before_the_clients_target) {
  ScriptedUpstream upstream;
  RunningProxy proxy(config_for(upstream.url() + "/llama/v1"));
  RawClient client(proxy.port());
  client.send(get);
  SeenRequest seen;
  auto const server = upstream.serve(make_answer("ok"), &seen);
  EXPECT_EQ(seen.target, "/llama/v1/x");
  EXPECT_EQ(read_answer(client).body, "ok");
}

TEST(RelayHeaders, the_target_for_the_server_as_a_whole_has_no_path_before_it) {
  ScriptedUpstream upstream;
  RunningProxy proxy(config_for(upstream.url() + "/llama"));
  RawClient client(proxy.port());
  client.send("OPTIONS * HTTP/1.1\r\nHost: p\r\n\r\n");
  SeenRequest seen;
  auto const server = upstream.serve(make_answer("ok"), &seen);
  EXPECT_EQ(seen.target, "*");
  EXPECT_EQ(read_answer(client).body, "ok");
}

}  // namespace
}  // namespace slotswap::test
