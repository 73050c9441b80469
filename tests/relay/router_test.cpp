// What a router does when a model's process goes away, and what it leaks of that process's answer.
#include "relay/stage.hpp"

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

constexpr Milliseconds patience{20'000};
constexpr std::string_view post = "POST /v1/x HTTP/1.1\r\nHost: p\r\nContent-Length: 4\r\n\r\nbody";
constexpr std::string_view unreached = "proxy error: Could not establish connection";
constexpr std::string_view lost = "proxy error: Failed to read connection";

// As a router's child says it of its own connection.
Headers leaked(std::string const& type) {
  return {{"Content-Type", type},
          {"Connection", "close"},
          {"Keep-Alive", "timeout=5, max=100"},
          {"X-Accel-Buffering", "no"}};
}

std::string head_of_500() {
  auto head = chunked_head(leaked("application/json; charset=utf-8"));
  return head.replace(head.find("200 OK"), 6, "500 Internal Server Error");
}

std::string error_500(std::string_view body) {
  return head_of_500() + chunk(body) + std::string(end_of_chunks);
}

std::string the_line(Stage const& stage) {
  auto const lines = stage.request_lines(1);
  return lines.size() == 1 ? lines[0] : std::string();
}

bool has(std::string_view line, std::string_view what) {
  return line.find(what) != std::string_view::npos;
}

TEST(RelayRouter, an_unreached_process_is_asked_for_once_more) {
  Stage stage;
  auto client = stage.client();
  client.send(post);
  SeenRequest one;
  auto server = stage.upstream.serve(error_500(unreached), &one);
  SeenRequest two;
  auto const again = stage.upstream.serve(make_answer("fine"), &two);
  EXPECT_EQ(two.head, one.head);
  EXPECT_EQ(two.body, "body");
  auto const answer = read_answer(client);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "fine");
  EXPECT_TRUE(server.closed_within(patience));
  auto const line = the_line(stage);
  EXPECT_TRUE(has(line, "status=200")) << line;
  EXPECT_FALSE(has(line, "code=")) << line;
  EXPECT_EQ(stage.log.count("state=sent_again request=1"), 1U);
}

TEST(RelayRouter, an_unreached_process_is_asked_for_once_more_also_when_the_text_comes_in_pieces) {
  for (auto const& framing :
       {std::string("chunked"), std::string("counted"), std::string("none")}) {
    Stage stage;
    auto client = stage.client();
    client.send(post);
    auto server = stage.upstream.accept();
    read_request(server);
    auto const chunked = framing == "chunked";
    server.send(chunked
                    ? head_of_500()
                    : "HTTP/1.1 500 No\r\n" + (framing == "counted" ? "Content-Length: 43\r\n\r\n"
                                                                    : std::string("\r\n")));
    // Its own segments, as far as the system lets them be.
    for (auto const c : unreached) {
      auto const byte = std::string(1, c);
      server.send(chunked ? chunk(byte) : byte);
    }
    if (chunked) server.send(end_of_chunks);
    if (framing == "none") server.close();
    auto const again = stage.upstream.serve(make_answer("fine"));
    EXPECT_EQ(read_answer(client).body, "fine") << framing;
  }
}

TEST(RelayRouter, but_not_twice_and_then_it_is_the_answer) {
  Stage stage;
  auto client = stage.client();
  client.send(post);
  auto const one = stage.upstream.serve(error_500(unreached));
  auto const two = stage.upstream.serve(error_500(unreached));
  auto const answer = read_answer(client);
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body, unreached);
  EXPECT_EQ(answer.header("content-type"), "application/json; charset=utf-8");
  EXPECT_TRUE(answer.complete);
  EXPECT_FALSE(stage.upstream.called());
  auto const line = the_line(stage);
  EXPECT_TRUE(has(line, "status=500 code=upstream_broken")) << line;
  EXPECT_FALSE(has(line, "cut=true")) << line;
  stage.expect_alive();
}

TEST(RelayRouter, a_router_that_is_gone_at_the_second_time_is_502) {
  Stage stage;
  auto client = stage.client();
  client.send(post);
  auto const one = stage.upstream.serve(error_500(unreached));
  stage.upstream.serve("").close();
  expect_problem(read_answer(client), 502, "upstream_broken");
  EXPECT_FALSE(stage.upstream.called());
}

TEST(RelayRouter, the_second_time_is_never_on_a_kept_connection) {
  Stage stage;
  auto client = stage.client();
  client.send(post);
  auto kept = stage.upstream.serve(make_answer("one"));
  EXPECT_EQ(read_answer(client).body, "one");
  client.send(post);
  read_request(kept);
  // Without the leaked field the connection goes back to the pool.
  kept.send(make_answer(unreached, {}, 500));
  auto const fresh = stage.upstream.serve(make_answer("two"));
  EXPECT_EQ(read_answer(client).body, "two");
}

TEST(RelayRouter, a_client_that_leaves_before_the_second_time_gets_none_and_costs_no_other) {
  Stage stage;
  auto client = stage.client();
  client.send(post);
  auto server = stage.upstream.accept();
  read_request(server);
  server.send(make_answer(unreached, {}, 500));
  client.close();
  auto const line = the_line(stage);
  EXPECT_TRUE(has(line, "code=client_gone")) << line;
  // The first connection is in the pool and was not closed by the leaving.
  auto other = stage.client();
  other.send(get);
  EXPECT_EQ(read_request(server).method, "GET");
  server.send(make_answer("fine"));
  EXPECT_EQ(read_answer(other).body, "fine");
}

struct Passed : testing::TestWithParam<std::string> {};

TEST_P(Passed, a_500_that_is_something_else_passes_once_and_unchanged) {
  Stage stage;
  auto client = stage.client();
  client.send(post);
  auto const one = stage.upstream.serve(error_500(GetParam()));
  auto const answer = read_answer(client);
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body, GetParam());
  EXPECT_TRUE(answer.complete);
  the_line(stage);
  EXPECT_FALSE(stage.upstream.called());
}

INSTANTIATE_TEST_SUITE_P(table, Passed,
                         testing::Values(R"({"error":{"code":500,"message":"no"}})",
                                         "proxy error: Could not",
                                         "proxy error: Failed to read connection", "p",
                                         " " + std::string(unreached),
                                         std::string(unreached) + std::string(1024, 'x')));

TEST(RelayRouter, another_500_is_passed_as_soon_as_it_differs) {
  Stage stage;
  auto client = stage.client();
  client.send(post);
  auto server = stage.upstream.serve(head_of_500() + chunk("proxy error: Could not es"));
  server.send(chunk("c"));
  auto answer = read_head(client);
  // All that was held back, in one piece or two.
  std::string body;
  while (body.size() < 26) {
    auto const size = std::stoul(client.read_until("\r\n"), nullptr, 16);
    body += client.read_exact(size);
    client.read_exact(2);
  }
  EXPECT_EQ(body, "proxy error: Could not esc");
  server.send(chunk("ape") + std::string(end_of_chunks));
  read_body(client, answer);
  EXPECT_EQ(answer.body, "ape");
  EXPECT_TRUE(answer.complete);
}

TEST(RelayRouter, a_long_500_is_not_held_at_all) {
  Stage stage;
  auto client = stage.client();
  client.send(post);
  auto server = stage.upstream.serve("HTTP/1.1 500 No\r\nContent-Length: 2000\r\n\r\n");
  auto answer = read_head(client);
  EXPECT_EQ(answer.status, 500);
  server.send(unreached);
  EXPECT_EQ(client.read_exact(unreached.size()), unreached);
  server.send(std::string(2000 - unreached.size(), 'x'));
  EXPECT_EQ(client.read_exact(2000 - unreached.size()), std::string(2000 - unreached.size(), 'x'));
}

TEST(RelayRouter, a_500_that_breaks_off_while_it_is_held_is_a_broken_answer) {
  Stage stage;
  auto client = stage.client();
  client.send(post);
  stage.upstream.serve(head_of_500() + chunk("proxy error: Could")).close();
  auto const answer = read_answer(client);
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body, "proxy error: Could");
  EXPECT_FALSE(answer.complete);
  auto const line = the_line(stage);
  EXPECT_TRUE(has(line, "code=upstream_broken")) << line;
  EXPECT_TRUE(has(line, "cut=true")) << line;
  stage.expect_alive();
}

TEST(RelayRouter, a_500_to_head_has_no_body_to_wait_for) {
  Stage stage;
  auto client = stage.client();
  client.send("HEAD /v1/x HTTP/1.1\r\nHost: p\r\n\r\n");
  auto const server = stage.upstream.serve("HTTP/1.1 500 No\r\nContent-Length: 43\r\n\r\n");
  auto const answer = read_answer(client, true);
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.header("content-length"), "43");
}

struct Lost {
  char const* name;
  std::string first;  // of the stream
  std::string last;
  bool broken;
};

struct LostStreams : testing::TestWithParam<Lost> {};

TEST_P(LostStreams, pass_unchanged_and_are_broken_in_the_log) {
  Stage stage;
  auto client = stage.client();
  client.send(post);
  auto server =
      stage.upstream.serve(chunked_head(leaked("text/event-stream")) + chunk(GetParam().first));
  auto answer = read_head(client);
  EXPECT_EQ(client.read_until(GetParam().first + "\r\n"), chunk(GetParam().first));
  server.send(chunk(GetParam().last) + std::string(end_of_chunks));
  read_body(client, answer);
  EXPECT_EQ(answer.body, GetParam().last);
  EXPECT_TRUE(answer.complete);
  auto const line = the_line(stage);
  EXPECT_TRUE(has(line, "status=200")) << line;
  EXPECT_EQ(has(line, "code=upstream_broken"), GetParam().broken) << line;
  EXPECT_EQ(has(line, "cut=true"), GetParam().broken) << line;
  EXPECT_EQ(
      has(line, "the answer was cut: the router lost the model's process: " + std::string(lost)),
      GetParam().broken)
      << line;
  EXPECT_EQ(stage.log.count("event=server server=main state=upstream_broken request=1"),
            GetParam().broken ? 1U : 0U);
  EXPECT_FALSE(stage.upstream.called());
}

INSTANTIATE_TEST_SUITE_P(
    table, LostStreams,
    testing::Values(
        Lost{"behind_an_event", "data: {\"n\":1}\n\n", std::string(lost), true},
        Lost{"inside_an_event", "data: {\"n\":1}\n\n", "data: {\"n" + std::string(lost), true},
        Lost{"in_two_pieces", "data: {}\n\nproxy err", "or: Failed to read connection", true},
        Lost{"behind_the_end", "data: [DONE]\n\n", std::string(lost), false},
        Lost{"as_generated_text", "data: {}\n\n",
             "data: {\"content\":\"" + std::string(lost) + "\"}\n\n", false},
        Lost{"without_a_word", "data: {}\n\n", "data: {}\n\n", false}),
    [](auto const& test) { return std::string(test.param.name); });

TEST(RelayRouter, a_500_for_a_lost_process_passes_and_is_broken_in_the_log) {
  for (auto const* type : {"application/json", "text/plain", ""}) {
    Stage stage;
    auto client = stage.client();
    client.send(post);
    auto const server = stage.upstream.serve(make_answer(lost, leaked(type), 500));
    auto const answer = read_answer(client);
    EXPECT_EQ(answer.status, 500);
    EXPECT_EQ(answer.body, lost);
    auto const line = the_line(stage);
    EXPECT_TRUE(has(line, "status=500 code=upstream_broken")) << line;
    EXPECT_FALSE(has(line, "cut=true")) << line;
    EXPECT_TRUE(has(line, "say=\"the router lost the model's process: " + std::string(lost)))
        << line;
    stage.expect_alive();
  }
}

TEST(RelayRouter, the_childs_close_is_not_the_clients_and_the_connection_is_not_used_again) {
  for (auto const* type : {"application/json", "text/event-stream"}) {
    Stage stage;
    auto client = stage.client();
    for (auto const* body : {"one", "two"}) {
      client.send(post);
      auto server = stage.upstream.serve(chunked_head(leaked(type)) + chunk(body) +
                                         std::string(end_of_chunks));
      auto const answer = read_answer(client);
      EXPECT_EQ(answer.body, body);
      EXPECT_TRUE(answer.complete);
      EXPECT_EQ(answer.header("connection"), std::nullopt);
      EXPECT_EQ(answer.header("keep-alive"), std::nullopt);
      EXPECT_EQ(answer.header("transfer-encoding"), "chunked");
      EXPECT_EQ(answer.header("x-accel-buffering"), "no");
      EXPECT_TRUE(server.closed_within(patience));
    }
  }
}

TEST(RelayRouter, the_childs_close_is_not_an_http_1_0_clients_that_keeps_its_connection) {
  Stage stage;
  auto client = stage.client();
  client.send("GET /v1/x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  auto one = stage.upstream.serve(make_answer("one", leaked("application/json")));
  auto const answer = read_answer(client);
  EXPECT_EQ(answer.body, "one");
  EXPECT_EQ(answer.header("connection"), "keep-alive");
  EXPECT_TRUE(one.closed_within(patience));
  client.send(get);
  auto const two = stage.upstream.serve(make_answer("two"));
  EXPECT_EQ(read_answer(client).body, "two");
}

}  // namespace
}  // namespace slotswap::test
