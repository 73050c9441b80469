// GET /v1/models: the server's own bytes where there is one, the union where there are several.
#include "relay/stage.hpp"

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

std::string two_servers(std::string const& a, std::string const& b) {
  return "listen: 127.0.0.1:0\ndrain_seconds: 0\nservers:\n  - {name: a, url: '" + a +
         "', api_key: ka}\n  - {name: b, url: '" + b +
         "'}\nroutes:\n  - {model: x, server: a}\n  - {model: '*', server: b}\n";
}

constexpr std::string_view ask =
    "GET /v1/models HTTP/1.1\r\nHost: p\r\nAccept-Encoding: gzip\r\nIf-None-Match: e\r\n\r\n";

TEST(RelayModels, one_servers_list_is_passed_on_byte_by_byte) {
  for (std::string const path : {"/v1/models", "/models"}) {
    Stage stage;
    auto client = stage.client();
    client.send("GET " + path + " HTTP/1.1\r\nHost: p\r\nAccept-Encoding: gzip\r\n\r\n");
    std::string const list = "{ \"data\" : [ {\"id\":\"m\", \"x\": 1.50} ] }\n";
    SeenRequest seen;
    auto const server = stage.upstream.serve(make_answer(list, {{"ETag", "e"}}), &seen);
    EXPECT_EQ(seen.target, path);
    EXPECT_EQ(seen.header("accept-encoding"), "gzip");
    auto const answer = read_answer(client);
    EXPECT_EQ(answer.body, list);
    EXPECT_EQ(answer.header("etag"), "e");
  }
}

TEST(RelayModels, several_servers_lists_are_joined_without_doubles) {
  ScriptedUpstream a;
  ScriptedUpstream b;
  RunningProxy proxy(two_servers(a.url(), b.url()));
  RawClient client(proxy.port());
  client.send(ask);
  SeenRequest seen;
  auto const first = a.serve(make_answer(R"({"data":[{"id":"x","n":1.50},{"id":"y"}]})"), &seen);
  EXPECT_EQ(seen.header("authorization"), "Bearer ka");
  EXPECT_EQ(seen.header("accept-encoding"), std::nullopt);
  EXPECT_EQ(seen.header("if-none-match"), std::nullopt);
  auto const second = b.serve(make_answer(R"({"data":[{"id":"y"},{"id":"z"}]})"), &seen);
  EXPECT_EQ(seen.header("authorization"), std::nullopt);
  auto const answer = read_answer(client);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, R"({"object":"list","data":[{"id":"x","n":1.50},{"id":"y"},{"id":"z"}]})");
}

TEST(RelayModels, a_server_that_does_not_answer_is_left_out_and_said) {
  auto const gone = ScriptedUpstream().url();
  ScriptedUpstream b;
  telemetry::CapturedLog log;
  RunningProxy proxy(two_servers(gone, b.url()));
  RawClient client(proxy.port());
  client.send(ask);
  auto const second = b.serve(make_answer(R"({"data":[{"id":"z"}]})"));
  EXPECT_EQ(read_answer(client).body, R"({"object":"list","data":[{"id":"z"}]})");
  auto const lines = log.matching("left out of the list of models");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("server=a"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("level=warning"), std::string::npos) << lines[0];
}

TEST(RelayModels, no_list_at_all_is_502) {
  auto const gone = ScriptedUpstream().url();
  ScriptedUpstream b;
  RunningProxy proxy(two_servers(gone, b.url()));
  RawClient client(proxy.port());
  client.send(ask);
  auto const second = b.serve(make_answer("no key", {}, 401));
  expect_problem(read_answer(client), 502, "upstream_unreachable");
}

}  // namespace
}  // namespace slotswap::test
