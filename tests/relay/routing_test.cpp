// Which server a request goes to, and what of its body may change on the way.
#include "relay/stage.hpp"

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

class Two {
 public:
  explicit Two(std::string const& routes)
      : proxy("listen: 127.0.0.1:0\ndrain_seconds: 0\nservers:\n  - {name: a, url: '" + a.url() +
              "'}\n  - {name: b, url: '" + b.url() + "'}\nroutes:\n" + routes) {}

  // What the server that got it saw.
  SeenRequest post(ScriptedUpstream& expected, std::string const& body,
                   std::string const& path = "/v1/chat/completions") {
    RawClient client(proxy.port());
    client.send(make_request("POST", path, {}, body));
    SeenRequest seen;
    auto const server = expected.serve(make_answer("ok", {{"Connection", "close"}}), &seen);
    EXPECT_EQ(read_answer(client).body, "ok");
    return seen;
  }

  ScriptedUpstream a;
  ScriptedUpstream b;
  telemetry::CapturedLog log;
  RunningProxy proxy;
};

TEST(RelayRouting, the_first_route_that_matches_takes_the_request) {
  Two two("  - {model: 'big-*', server: b}\n  - {model: small, server: a}\n");
  EXPECT_EQ(two.post(two.b, R"({"model":"big-one"})").body, R"({"model":"big-one"})");
  EXPECT_EQ(two.post(two.a, R"({"model":"small"})").body, R"({"model":"small"})");
  EXPECT_FALSE(two.a.called());
  EXPECT_FALSE(two.b.called());
}

TEST(RelayRouting, without_a_model_the_first_routes_server_takes_it) {
  Two two("  - {model: 'big-*', server: b}\n  - {model: '*', server: a}\n");
  for (auto const* body : {"", "{}", "no json", R"({"model":7})", R"([{"model":"small"}])"}) {
    EXPECT_EQ(two.post(two.b, body).body, body);
  }
  RawClient client(two.proxy.port());
  client.send("GET /props HTTP/1.1\r\nHost: p\r\n\r\n");
  auto const server = two.b.serve(make_answer("props"));
  EXPECT_EQ(read_answer(client).body, "props");
}

TEST(RelayRouting, an_unknown_model_is_404) {
  Two two("  - {model: 'big-*', server: b}\n  - {model: small, server: a}\n");
  auto const answer =
      request(two.proxy.port(), "POST", "/v1/chat/completions", {}, R"({"model":"other"})");
  expect_problem(answer, 404, "model_not_found");
  EXPECT_NE(answer.body.find("other"), std::string::npos);
  EXPECT_FALSE(two.a.called());
  EXPECT_FALSE(two.b.called());
}

TEST(RelayRouting, of_a_doubled_model_the_last_counts_as_it_does_for_the_server) {
  Two two("  - {model: x, server: a}\n  - {model: y, server: b}\n");
  two.post(two.b, R"({"model":"x","model":"y"})");
}

TEST(RelayRouting, a_long_body_is_routed_like_a_short_one) {
  Two two("  - {model: x, server: a}\n  - {model: y, server: b}\n");
  auto const body = R"({"messages":[{"role":"user","content":")" + std::string(300'000, 'm') +
                    R"("}],"model":"y"})";
  EXPECT_EQ(two.post(two.b, body).body, body);
}

TEST(RelayRouting, upstream_model_changes_the_name_and_no_other_byte) {
  Two two("  - {model: x, server: a, upstream_model: real}\n  - {model: '*', server: b}\n");
  std::string const body =
      "{ \"t\" :0.70, \"model\"\t: \"x\" "
      ",\"n\":123456789012345678901234567890,\"e\":\"\\u00e4\"}\n";
  std::string const wanted =
      "{ \"t\" :0.70, \"model\"\t: \"real\" "
      ",\"n\":123456789012345678901234567890,\"e\":\"\\u00e4\"}\n";
  auto const seen = two.post(two.a, body);
  EXPECT_EQ(seen.body, wanted);
  EXPECT_EQ(seen.header("content-length"), std::to_string(wanted.size()));
}

TEST(RelayRouting, upstream_model_is_added_where_there_was_none_and_leaves_other_bodies_alone) {
  Two two("  - {model: x, server: a, upstream_model: real}\n  - {model: '*', server: b}\n");
  EXPECT_EQ(two.post(two.a, R"({"prompt":"p"})").body, R"({"model":"real","prompt":"p"})");
  EXPECT_EQ(two.post(two.a, "\x01\x02 no json").body, "\x01\x02 no json");
}

TEST(RelayRouting, upstream_model_needs_room_for_a_second_body) {
  ScriptedUpstream upstream;
  RunningProxy proxy(
      "listen: 127.0.0.1:0\nlimits: {body_mib: 1, buffer_mib: 1}\nservers:\n  - {name: a, url: '" +
      upstream.url() + "'}\nroutes:\n  - {model: x, upstream_model: real}\n");
  auto const body = R"({"model":"x","prompt":")" + std::string(700'000, 'p') + "\"}";
  auto const answer = request(proxy.port(), "POST", "/completion", {}, body);
  expect_problem(answer, 503, "buffers_full");
  EXPECT_FALSE(upstream.called());
}

}  // namespace
}  // namespace slotswap::test
