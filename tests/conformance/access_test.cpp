// Who is let in, and how connections are kept.
#include "conformance/conformance.hpp"

namespace slotswap::test {
namespace {

class AccessTest : public Conformance {
 protected:
  void start_with_key() {
    Wish wish;
    wish.api_key = "secret";
    start(wish);
  }
};

TEST_P(AccessTest, the_key_is_taken_in_three_forms) {
  start_with_key();
  struct Row {
    Headers headers;
    int status;
  };
  std::vector<Row> const rows{{{}, 401},
                              {{{"Authorization", "Bearer wrong"}}, 401},
                              {{{"Authorization", "bearer secret"}}, 401},
                              {{{"Authorization", "Bearer secret"}}, 200},
                              {{{"Authorization", "secret"}}, 200},
                              {{{"X-Api-Key", "secret"}}, 200}};
  for (auto const& row : rows) {
    for (auto const* path : {"/props", "/slots", "/v1/models", "/models", "/lora-adapters"}) {
      auto const answer = get(path, row.headers);
      EXPECT_EQ(answer.status, row.status)
          << path << ' ' << (row.headers.empty() ? "no key" : row.headers.front().second);
      if (row.status != 401) continue;
      EXPECT_EQ(error_message(answer), "Invalid API Key");
      EXPECT_EQ(error_type(answer), "authentication_error");
    }
  }
}

TEST_P(AccessTest, health_and_options_need_no_key_and_unknown_paths_do) {
  start_with_key();
  EXPECT_EQ(get("/health").status, 200);
  EXPECT_EQ(get("/v1/health").status, 200);
  EXPECT_EQ(request(subject().port(), "OPTIONS", "/v1/chat/completions").status, 200);
  EXPECT_EQ(get("/nothing").status, 401);
}

TEST_P(AccessTest, a_refusal_does_not_wait_for_the_body_and_ends_the_connection) {
  start_with_key();
  RawClient client(subject().port());
  client.send("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n{");
  auto const answer = read_answer(client);
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(answer.header("connection"), "close");
  EXPECT_TRUE(client.closed_within(Milliseconds{5000}));
}

TEST_P(AccessTest, other_origins_are_echoed) {
  start();
  Headers const headers{{"Origin", "http://some.where"}};
  EXPECT_EQ(get("/health", headers).header("access-control-allow-origin"), "http://some.where");
  auto const answer = request(subject().port(), "OPTIONS", "/v1/chat/completions", headers);
  EXPECT_EQ(answer.header("access-control-allow-origin"), "http://some.where");
  EXPECT_EQ(answer.header("access-control-allow-methods"), "GET, POST, DELETE, OPTIONS");
  EXPECT_EQ(answer.header("access-control-allow-headers"), "*");
}

TEST_P(AccessTest, a_connection_serves_a_hundred_requests_and_says_so) {
  start();
  RawClient client(subject().port());
  for (int i = 1; i <= 100; ++i) {
    client.send(make_request("GET", "/props"));
    auto const answer = read_answer(client);
    ASSERT_EQ(answer.status, 200);
    if (i < 100) {
      ASSERT_EQ(answer.header("keep-alive"), "timeout=5, max=100") << i;
      ASSERT_EQ(answer.header("connection"), std::nullopt) << i;
    } else {
      EXPECT_EQ(answer.header("connection"), "close");
    }
  }
  EXPECT_TRUE(client.closed_within(Milliseconds{5000}));
}

TEST_P(AccessTest, a_head_whose_body_comes_in_chunks_is_read) {
  start();
  auto const body = prompt_body("some words");
  RawClient client(subject().port());
  client.send("POST /completion HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  client.send("5\r\n" + body.substr(0, 5) + "\r\n");
  std::string size(1, "0123456789abcdef"[(body.size() - 5) / 16]);
  size += "0123456789abcdef"[(body.size() - 5) % 16];
  client.send(size + "\r\n" + body.substr(5) + "\r\n0\r\n\r\n");
  EXPECT_EQ(read_answer(client).status, 200);
}

SLOTSWAP_ON_BOTH(AccessTest);

}  // namespace
}  // namespace slotswap::test
