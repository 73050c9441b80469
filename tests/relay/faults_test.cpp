// Servers that cannot be reached, or are silent for too long.
#include "relay/stage.hpp"

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

constexpr Milliseconds patience{20'000};

TEST(RelayFaults, a_server_that_is_not_there_is_502_and_a_warning) {
  auto const gone = ScriptedUpstream().url();
  telemetry::CapturedLog log;
  RunningProxy proxy(config_for(gone));
  auto const answer = request(proxy.port(), "POST", "/v1/chat/completions", {}, "{}");
  expect_problem(answer, 502, "upstream_unreachable");
  EXPECT_TRUE(eventually([&] { return log.count("state=upstream_unreachable") == 1; }));
  auto const lines = log.matching("state=upstream_unreachable");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("level=warning"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("efused"), std::string::npos) << lines[0];
}

TEST(RelayFaults, the_clients_connection_survives_a_server_that_is_not_there) {
  auto const gone = ScriptedUpstream().url();
  RunningProxy proxy(config_for(gone));
  RawClient client(proxy.port());
  for (int i = 0; i < 2; ++i) {
    client.send(make_request("POST", "/v1/x", {}, "{}"));
    expect_problem(read_answer(client), 502, "upstream_unreachable");
  }
}

TEST(RelayFaults, a_name_that_does_not_resolve_is_502) {
  RunningProxy proxy(config_for("http://no-such-host.invalid:1"));
  expect_problem(request(proxy.port(), "GET", "/v1/x"), 502, "upstream_unreachable");
}

TEST(RelayFaults, a_name_is_tried_at_each_of_its_addresses) {
  ScriptedUpstream upstream;
  RunningProxy proxy(config_for("http://localhost:" + std::to_string(upstream.port())));
  RawClient client(proxy.port());
  client.send(get);
  SeenRequest seen;
  auto const server = upstream.serve(make_answer("ok"), &seen);
  EXPECT_EQ(seen.header("host"), "localhost:" + std::to_string(upstream.port()));
  EXPECT_EQ(read_answer(client).body, "ok");
}

TEST(RelayFaults, an_answer_that_does_not_begin_in_time_is_504) {
  Stage stage("first_byte_seconds: 0.1");
  auto client = stage.client();
  auto server = stage.ask(client);
  expect_problem(read_answer(client), 504, "upstream_timeout");
  EXPECT_TRUE(server.closed_within(patience));
  stage.expect_alive();
}

TEST(RelayFaults, half_a_head_is_no_beginning) {
  Stage stage("first_byte_seconds: 0.1");
  auto client = stage.client();
  client.send(get);
  auto const server = stage.upstream.serve("HTTP/1.1 200 OK\r\nX-");
  expect_problem(read_answer(client), 504, "upstream_timeout");
}

TEST(RelayFaults, a_stream_that_pauses_too_long_is_cut) {
  Stage stage("idle_stream_seconds: 0.1");
  auto client = stage.client();
  client.send(get);
  auto server = stage.upstream.serve(chunked_head() + chunk("data: 1\n\n"));
  auto const answer = read_answer(client);
  EXPECT_EQ(answer.body, "data: 1\n\n");
  EXPECT_FALSE(answer.complete);
  EXPECT_TRUE(server.closed_within(patience));
  auto const lines = stage.request_lines(1);
  EXPECT_NE(lines[0].find("code=upstream_timeout"), std::string::npos) << lines[0];
}

TEST(RelayFaults, the_limit_for_a_pause_does_not_count_for_the_first_byte) {
  Stage stage("first_byte_seconds: 0, idle_stream_seconds: 0.05");
  auto client = stage.client();
  auto server = stage.ask(client);
  // Another stream is cut meanwhile: the timer has been round.
  auto other = stage.client();
  other.send(get);
  auto const second = stage.upstream.serve(chunked_head() + chunk("x"));
  EXPECT_FALSE(read_answer(other).complete);
  server.send(make_answer("late"));
  EXPECT_EQ(read_answer(client).body, "late");
}

TEST(RelayFaults, a_servers_own_error_is_passed_on_as_it_is) {
  Stage stage;
  auto client = stage.client();
  client.send(make_request("POST", "/v1/chat/completions", {}, "{}"));
  std::string const body = R"({"error":{"code":503,"message":"Loading model"}})";
  auto const server =
      stage.upstream.serve(make_answer(body, {{"Content-Type", "application/json"}}, 503));
  auto const answer = read_answer(client);
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.body, body);
  EXPECT_EQ(answer.header("retry-after"), std::nullopt);
}

TEST(RelayFaults, a_key_that_the_server_refuses_is_a_warning) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  auto const server = stage.upstream.serve(make_answer("no", {}, 401));
  EXPECT_EQ(read_answer(client).status, 401);
  EXPECT_TRUE(eventually([&] { return stage.log.count("state=refused_key") == 1; }));
  EXPECT_NE(stage.log.matching("state=refused_key")[0].find("level=warning"), std::string::npos);
}

}  // namespace
}  // namespace slotswap::test
