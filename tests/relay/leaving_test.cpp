// Clients that leave. The server here never sends a byte before it has seen its connection close:
// nothing but the client's leaving can have told the proxy.
#include "relay/stage.hpp"

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

constexpr Milliseconds patience{20'000};
constexpr std::size_t mib = 1024 * 1024;

// The line of the only request.
void expect_left(Stage const& stage, std::string_view how) {
  auto const lines = stage.request_lines(1);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("code=client_gone"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find(how), std::string::npos) << lines[0];
}

TEST(RelayLeaving, p05_09_a_client_that_closes_while_the_server_is_silent) {
  Stage stage;
  auto client = stage.client();
  auto server = stage.ask(client);
  client.close();
  EXPECT_TRUE(server.closed_within(patience));
  expect_left(stage, "status=499");
  stage.expect_alive();
}

TEST(RelayLeaving, p05_09_a_client_that_resets_while_the_server_is_silent) {
  Stage stage;
  auto client = stage.client();
  auto server = stage.ask(client);
  client.reset();
  EXPECT_TRUE(server.closed_within(patience));
  expect_left(stage, "status=499");
}

TEST(RelayLeaving, p05_09_a_client_that_only_closes_its_sending_side_has_left) {
  Stage stage;
  auto client = stage.client();
  auto server = stage.ask(client);
  client.half_close();
  EXPECT_TRUE(server.closed_within(patience));
  EXPECT_EQ(client.read_to_end(), "");
}

TEST(RelayLeaving, p05_09_a_client_that_sent_more_requests_before_it_left) {
  Stage stage;
  auto client = stage.client();
  client.send(std::string(get) + std::string(get));
  auto server = stage.upstream.accept();
  read_request(server);
  client.close();
  EXPECT_TRUE(server.closed_within(patience));
  expect_left(stage, "status=499");
  stage.expect_alive();
}

// More than the proxy reads ahead: only a reset can be seen behind that.
TEST(RelayLeaving, p05_09_a_client_that_resets_behind_a_heap_of_pipelined_requests) {
  Stage stage;
  auto client = stage.client();
  std::string requests;
  while (requests.size() < 256 * 1024) requests += get;
  client.send(requests);
  auto server = stage.upstream.accept();
  read_request(server);
  client.reset();
  EXPECT_TRUE(server.closed_within(patience));
  expect_left(stage, "status=499");
}

TEST(RelayLeaving, p05_09_a_client_that_leaves_after_a_long_upload) {
  Stage stage;
  auto client = stage.client();
  client.send("POST /v1/x HTTP/1.1\r\nHost: p\r\nContent-Length: " + std::to_string(8 * mib) +
              "\r\n\r\n" + std::string(8 * mib, 'x'));
  auto server = stage.upstream.accept();
  read_request(server);
  client.close();
  EXPECT_TRUE(server.closed_within(patience));
}

TEST(RelayLeaving, p05_09_a_client_that_leaves_while_the_server_takes_no_more_of_the_body) {
  Stage stage;
  auto client = stage.client();
  client.send("POST /v1/x HTTP/1.1\r\nHost: p\r\nContent-Length: " + std::to_string(24 * mib) +
              "\r\n\r\n" + std::string(24 * mib, 'x'));
  auto server = stage.upstream.accept();
  read_request_head(server);
  client.close();
  expect_left(stage, "status=499");
  EXPECT_TRUE(server.closed_within(patience));
}

TEST(RelayLeaving, p05_09_a_client_that_leaves_inside_its_own_body_reaches_no_server) {
  Stage stage;
  auto client = stage.client();
  client.send("POST /v1/x HTTP/1.1\r\nHost: p\r\nContent-Length: 100\r\n\r\nhalf");
  client.close();
  expect_left(stage, "status=499");
  EXPECT_FALSE(stage.upstream.called());
}

TEST(RelayLeaving, p05_09_a_client_that_leaves_in_the_middle_of_a_stream) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  auto server = stage.upstream.serve(chunked_head() + chunk("data: 1\n\n"));
  read_head(client);
  client.read_until("data: 1\n\n\r\n");
  client.close();
  EXPECT_TRUE(server.closed_within(patience));
  expect_left(stage, "cut=true");
}

// Its window is full, so the proxy waits for room, which will never come.
TEST(RelayLeaving, p05_09_a_client_that_stops_reading_and_then_leaves) {
  for (auto const half : {false, true}) {
    Stage stage;
    auto client = stage.client(4096);
    client.send(get);
    auto server = stage.upstream.accept();
    read_request(server);
    // Cut off where all the buffers on the way are full.
    auto const head = chunked_head();
    ASSERT_EQ(server.try_send(head), head.size());
    auto const piece = chunk(std::string(mib, 'x'));
    for (int i = 0; i < 4; ++i) server.send(piece);
    read_head(client);
    if (half) {
      client.half_close();
    } else {
      client.reset();
    }
    expect_left(stage, "cut=true");
    EXPECT_TRUE(server.closed_within(patience));
  }
}

}  // namespace
}  // namespace slotswap::test
