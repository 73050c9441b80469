// Kept connections to the server: used again, last used first, given up in time, and never the
// reason why a request fails.
#include "relay/stage.hpp"

#include <slotswap/net/upstream.hpp>

#include <boost/asio/co_spawn.hpp>

#include <gtest/gtest.h>

#include <exception>
#include <future>
#include <thread>

namespace slotswap::test {
namespace {

constexpr Milliseconds patience{20'000};
constexpr std::string_view post = "POST /v1/x HTTP/1.1\r\nHost: p\r\nContent-Length: 4\r\n\r\nbody";

TEST(RelayPool, p05_10_the_next_request_uses_the_kept_connection) {
  Stage stage;
  auto one = stage.client();
  one.send(get);
  auto server = stage.upstream.serve(make_answer("one"));
  EXPECT_EQ(read_answer(one).body, "one");
  auto two = stage.client();
  two.send(get);
  read_request(server);
  server.send(make_answer("two"));
  EXPECT_EQ(read_answer(two).body, "two");
  EXPECT_FALSE(stage.upstream.called());
}

TEST(RelayPool, p05_10_the_one_used_last_is_used_first) {
  Stage stage;
  auto one = stage.client();
  auto two = stage.client();
  one.send(get);
  auto first = stage.upstream.accept();
  read_request(first);
  two.send(get);
  auto second = stage.upstream.accept();
  read_request(second);
  second.send(make_answer("2"));
  EXPECT_EQ(read_answer(two).body, "2");
  first.send(make_answer("1"));
  EXPECT_EQ(read_answer(one).body, "1");
  stage.request_lines(2);
  two.send(get);
  read_request(first);
  first.send(make_answer("1 again"));
  EXPECT_EQ(read_answer(two).body, "1 again");
}

TEST(RelayPool, p05_10_a_connection_that_the_server_closed_meanwhile_is_not_used) {
  Stage stage;
  auto client = stage.client();
  for (int i = 0; i < 3; ++i) {
    client.send(post);
    stage.upstream.serve(make_answer("ok"));
    EXPECT_EQ(read_answer(client).status, 200);
  }
}

TEST(RelayPool, p05_10_a_kept_connection_that_closes_unanswered_is_tried_once_more_afresh) {
  for (auto const reset : {false, true}) {
    Stage stage;
    auto client = stage.client();
    client.send(post);
    auto kept = stage.upstream.serve(make_answer("one"));
    EXPECT_EQ(read_answer(client).body, "one");
    client.send(post);
    EXPECT_EQ(read_request(kept).body, "body");
    if (reset) {
      kept.reset();
    } else {
      kept.close();
    }
    SeenRequest seen;
    auto const fresh = stage.upstream.serve(make_answer("two"), &seen);
    EXPECT_EQ(seen.body, "body");
    EXPECT_EQ(read_answer(client).body, "two");
  }
}

TEST(RelayPool, p05_10_but_not_twice) {
  Stage stage;
  auto client = stage.client();
  client.send(post);
  auto kept = stage.upstream.serve(make_answer("one"));
  EXPECT_EQ(read_answer(client).body, "one");
  client.send(post);
  read_request(kept);
  kept.close();
  stage.upstream.serve("").close();
  expect_problem(read_answer(client), 502, "upstream_broken");
  EXPECT_FALSE(stage.upstream.called());
}

TEST(RelayPool, p05_10_never_after_a_byte_of_an_answer) {
  Stage stage;
  auto client = stage.client();
  client.send(post);
  auto kept = stage.upstream.serve(make_answer("one"));
  EXPECT_EQ(read_answer(client).body, "one");
  client.send(post);
  read_request(kept);
  kept.send("H");
  kept.close();
  expect_problem(read_answer(client), 502, "upstream_broken");
  EXPECT_FALSE(stage.upstream.called());
}

TEST(RelayPool, p05_10_never_on_a_fresh_connection) {
  Stage stage;
  auto client = stage.client();
  client.send(post);
  stage.upstream.serve("").close();
  expect_problem(read_answer(client), 502, "upstream_broken");
  EXPECT_FALSE(stage.upstream.called());
}

TEST(RelayPool, p05_10_a_server_that_says_close_is_believed) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  auto server = stage.upstream.serve(make_answer("one", {{"Connection", "close"}}));
  auto const answer = read_answer(client);
  EXPECT_EQ(answer.body, "one");
  EXPECT_EQ(answer.header("connection"), std::nullopt);
  EXPECT_TRUE(server.closed_within(patience));
  client.send(get);
  auto const next = stage.upstream.serve(make_answer("two"));
  EXPECT_EQ(read_answer(client).body, "two");
}

TEST(RelayPool, p05_10_llama_server_closes_after_a_stream_without_a_word_so_it_is_not_used_again) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  auto const fields = Headers{{"Content-Type", "text/event-stream"}};
  auto server = stage.upstream.serve(chunked_head(fields) + chunk("data: 1\n\n") + "0\r\n\r\n");
  EXPECT_TRUE(read_answer(client).complete);
  EXPECT_TRUE(server.closed_within(patience));
  client.send(get);
  auto const next = stage.upstream.serve(make_answer("two"));
  EXPECT_EQ(read_answer(client).body, "two");
}

TEST(RelayPool, p05_10_llama_server_closes_after_100_requests_so_none_is_the_101st) {
  Stage stage;
  auto client = stage.client();
  client.send(get);
  auto server = stage.upstream.serve(make_answer("x"));
  read_answer(client);
  for (int i = 1; i < 100; ++i) {
    client.send(get);
    read_request(server);
    server.send(make_answer("x"));
    EXPECT_EQ(read_answer(client).body, "x");
  }
  EXPECT_TRUE(server.closed_within(patience));
  stage.expect_alive();
}

net::awaitable<void> ask_once(net::Upstream& upstream, std::promise<int>& status) {
  http::RequestHead head;
  head.method = "GET";
  head.target = "/x";
  auto const answer = co_await upstream.call(std::move(head), "", base::Duration::zero());
  status.set_value(answer.has_value() ? answer->head.status : 0);
}

TEST(RelayPool, p05_10_a_connection_that_rests_too_long_is_given_up) {
  ScriptedUpstream server;
  net::Loop loop;
  net::UpstreamSettings settings;
  settings.host = "127.0.0.1";
  settings.port = server.port();
  settings.idle = std::chrono::milliseconds(1);
  auto upstream = net::make_upstream(loop, settings);
  std::promise<int> status;
  boost::asio::co_spawn(loop.context(), ask_once(**upstream, status), [](std::exception_ptr) {});
  std::thread running([&] { loop.run(); });
  auto connection = server.serve(make_answer("ok"));
  EXPECT_EQ(status.get_future().get(), 200);
  EXPECT_TRUE(connection.closed_within(patience));
  loop.stop();
  running.join();
}

}  // namespace
}  // namespace slotswap::test
