#include "support/http_client.hpp"

#include "support/listener.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace slotswap::test {
namespace {

struct AnswerCase {
  char const* name;
  std::string sent;
  int status;
  std::string body;
  std::vector<std::string> chunks;
  bool complete;
};

std::ostream& operator<<(std::ostream& out, AnswerCase const& c) {
  return out << c.name;
}

struct ReadAnswer : testing::TestWithParam<AnswerCase> {};

TEST_P(ReadAnswer, as_framed) {
  auto const& c = GetParam();
  Listener listener;
  RawClient client(listener.port());
  auto server = listener.accept();
  server.send(c.sent);
  server.close();
  auto const answer = read_answer(client);
  EXPECT_EQ(answer.status, c.status);
  EXPECT_EQ(answer.body, c.body);
  EXPECT_EQ(answer.chunks, c.chunks);
  EXPECT_EQ(answer.complete, c.complete);
}

INSTANTIATE_TEST_SUITE_P(
    table, ReadAnswer,
    testing::Values(
        AnswerCase{
            "counted", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", {}, true},
        AnswerCase{"counted_and_cut",
                   "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhel",
                   200,
                   "hel",
                   {},
                   false},
        AnswerCase{"chunked",
                   "HTTP/1.1 200 OK\r\nTransfer-Encoding: "
                   "chunked\r\n\r\n2\r\nhe\r\n3;x=1\r\nllo\r\n0\r\nA: b\r\n\r\n",
                   200,
                   "hello",
                   {"he", "llo"},
                   true},
        AnswerCase{"chunked_and_cut",
                   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nl",
                   200,
                   "hel",
                   {"he"},
                   false},
        AnswerCase{"to_the_end", "HTTP/1.0 200 OK\r\n\r\nall of it", 200, "all of it", {}, true},
        AnswerCase{"after_1xx",
                   "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
                   204,
                   "",
                   {},
                   true}),
    [](auto const& test) { return std::string(test.param.name); });

TEST(HttpClient, finds_headers_by_their_lower_case_name) {
  Listener listener;
  RawClient client(listener.port());
  auto server = listener.accept();
  server.send("HTTP/1.1 200 OK\r\nX-Two: a\r\nx-two:  b \r\nContent-Length: 0\r\n\r\n");
  auto const answer = read_answer(client);
  EXPECT_EQ(answer.header("x-two"), "a");
  EXPECT_EQ(answer.count("x-two"), 2U);
  EXPECT_EQ(answer.header("x-three"), std::nullopt);
}

TEST(HttpClient, a_post_has_a_length_and_a_get_has_none) {
  EXPECT_EQ(make_request("GET", "/a", {{"X", "1"}}),
            "GET /a HTTP/1.1\r\nHost: localhost\r\nX: 1\r\n\r\n");
  EXPECT_EQ(make_request("POST", "/b", {}, "hi"),
            "POST /b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nhi");
}

}  // namespace
}  // namespace slotswap::test
