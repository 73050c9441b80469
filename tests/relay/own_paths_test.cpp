// Paths that slotswap answers itself, and those it keeps from the server.
#include "relay/stage.hpp"

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

struct Forbidden : testing::TestWithParam<char const*> {};

TEST_P(Forbidden, is_403_and_reaches_no_server) {
  Stage stage;
  auto const answer = request(stage.proxy.port(), "POST", GetParam(), {}, R"({"filename":"f"})");
  expect_problem(answer, 403, "slots_forbidden");
  EXPECT_FALSE(stage.upstream.called());
}

INSTANTIATE_TEST_SUITE_P(table, Forbidden,
                         testing::Values("/slots/0?action=save", "/slots/0?action=restore",
                                         "/slots/0?action=erase", "/slots", "/%73lots/0",
                                         "//slots/0", "/./slots/0", "/x/../slots/0",
                                         "/slots%2f0?action=erase", "/lora-adapters",
                                         "/%6cora-adapters", "/lora-adapters/"));

TEST(RelayOwnPaths, reading_the_slots_is_free) {
  Stage stage;
  auto client = stage.client();
  client.send("GET /slots HTTP/1.1\r\nHost: p\r\n\r\n");
  auto const server = stage.upstream.serve(make_answer("[]"));
  EXPECT_EQ(read_answer(client).body, "[]");
}

TEST(RelayOwnPaths, health_is_ours) {
  Stage stage;
  auto const answer = request(stage.proxy.port(), "GET", "/slotswap/health");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, R"({"status":"ok"})");
  EXPECT_EQ(request(stage.proxy.port(), "HEAD", "/slotswap/health").status, 200);
  EXPECT_FALSE(stage.upstream.called());
}

TEST(RelayOwnPaths, other_paths_of_ours_are_404) {
  Stage stage;
  expect_problem(request(stage.proxy.port(), "GET", "/slotswap/nothing"), 404, "not_found");
  expect_problem(request(stage.proxy.port(), "POST", "/slotswap/health"), 404, "not_found");
  EXPECT_FALSE(stage.upstream.called());
}

TEST(RelayOwnPaths, a_refused_request_with_a_body_ends_the_connection_and_hides_no_other) {
  Stage stage;
  auto client = stage.client();
  client.send(make_request("POST", "/slots/0?action=save", {}, std::string(get)));
  auto const answer = read_answer(client);
  expect_problem(answer, 403, "slots_forbidden");
  EXPECT_EQ(answer.header("connection"), "close");
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_FALSE(stage.upstream.called());
}

}  // namespace
}  // namespace slotswap::test
