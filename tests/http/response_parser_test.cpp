#include "feeding.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace slotswap::http {
namespace {

using testing::by;
using testing::feed_response;
using testing::whole;

struct Row {
  std::string_view what;
  std::string_view input;
  std::string_view code;  // empty: accepted
  std::string_view body = {};
  bool to_head = false;
};

void check(std::vector<Row> const& rows) {
  constexpr std::string_view rest = "HTTP/1.1 200 OK\r\n\r\n";
  for (auto const& row : rows) {
    SCOPED_TRACE(row.what);
    auto const input = std::string(row.input) + std::string(rest);
    auto const at_once = feed_response(input, whole(), row.to_head);
    EXPECT_EQ(at_once.code, row.code);
    EXPECT_EQ(at_once.done, row.code.empty());
    EXPECT_EQ(at_once.body, row.body);
    if (row.code.empty()) {
      EXPECT_EQ(at_once.rest, rest);
    }
    EXPECT_EQ(feed_response(input, by(1), row.to_head), at_once);
    EXPECT_EQ(feed_response(input, by(5), row.to_head), at_once);
  }
}

constexpr std::string_view bad = "bad_upstream_response";

TEST(ResponseParser, framing) {
  check({
      {"length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab", "", "ab"},
      {"length 0", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ""},
      {"chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n", "",
       "ab"},
      {"two equal lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab",
       "", "ab"},
      {"two different lengths",
       "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nab", bad},
      {"a length that is no number", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nab", bad},
      {"an empty length", "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nab", bad},
      {"length and chunked",
       "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nab", bad},
      {"chunked and length",
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\nab", bad},
      {"gzip, chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
       bad},
      {"gzip", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nab", bad},
      {"chunked in HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       bad},
      {"a bad chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n", bad},
      {"item 5.1.11, 204", "HTTP/1.1 204 No Content\r\n\r\n", ""},
      {"item 5.1.11, 204 with length 0", "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n",
       ""},
      {"item 5.1.11, 204 with a length",
       "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nabcde", bad},
      {"item 5.1.11, 204 with chunks",
       "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", bad},
      {"item 5.1.11, 304 with a length", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
       ""},
      {"item 5.1.11, HEAD with a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "", "",
       true},
      {"item 5.1.11, HEAD with chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
       "", "", true},
      {"item 5.1.11, HEAD without framing", "HTTP/1.1 200 OK\r\n\r\n", "", "", true},
  });
}

TEST(ResponseParser, heads) {
  check({
      {"item 5.1.11, no blank behind the status", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", bad},
      {"an empty reason", "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", ""},
      {"an unknown status", "HTTP/1.1 599 What\r\nContent-Length: 0\r\n\r\n", ""},
      {"a status of two digits", "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n", bad},
      {"a status below 100", "HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n", bad},
      {"HTTP/2.0", "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n", bad},
      {"not HTTP", "220 mail.example ESMTP\r\n\r\n", bad},
      {"an empty line first", "\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", bad},
      {"bare LF", "HTTP/1.1 200 OK\nContent-Length: 0\n\n", bad},
      {"a folded field", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 0\r\n\r\n", bad},
      {"item 5.1.6, 100 first",
       "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab", "", "ab"},
      {"item 5.1.6, 103 and 100 first",
       "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 "
       "OK\r\nContent-Length: 2\r\n\r\nab",
       "", "ab"},
      {"101", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", bad},
  });
}

TEST(ResponseParser, interim_heads_leave_nothing_behind_and_are_counted) {
  std::string const interim = "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n";
  ResponseParser parser({}, false);
  auto const found = parser.put(interim + interim);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->consumed, 2 * interim.size());
  EXPECT_TRUE(parser.started());
  EXPECT_FALSE(parser.head_done());
  ASSERT_TRUE(parser.put("HTTP/1.1 200 Fine\r\nC: d\r\n\r\n"));
  EXPECT_EQ(serialize(parser.head()), "HTTP/1.1 200 Fine\r\nC: d\r\n\r\n");

  std::string many;
  for (auto count = 0; count < 17; ++count) many += interim;
  EXPECT_EQ(feed_response(many).code, bad);
}

TEST(ResponseParser, item_5_1_12_a_body_without_framing_ends_with_the_connection) {
  for (std::string_view const head :
       {"HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\n"}) {
    ResponseParser parser({}, false);
    auto const outcome = testing::feed(parser, std::string(head) + "abc\r\n\r\n0\r\n\r\n", by(2));
    EXPECT_EQ(outcome.body, "abc\r\n\r\n0\r\n\r\n");
    EXPECT_TRUE(parser.until_eof());
    EXPECT_FALSE(parser.keep_alive());
    EXPECT_FALSE(parser.done());
    EXPECT_TRUE(parser.put_eof());
    EXPECT_TRUE(parser.done());
  }
}

TEST(ResponseParser, item_5_1_12_an_end_inside_the_message_is_a_fault) {
  for (std::string_view const input : {
           "H",
           "HTTP/1.1 200 OK\r\n",
           "HTTP/1.1 100 Continue\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n",
       }) {
    SCOPED_TRACE(input);
    ResponseParser parser({}, false);
    EXPECT_EQ(testing::feed(parser, input, whole()).code, "");
    auto const ended = parser.put_eof();
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().code, "upstream_broken");
    EXPECT_EQ(ended.error().side, base::Side::server);
    EXPECT_EQ(ended.error().retry, base::Retry::never);
    EXPECT_FALSE(parser.done());
  }
}

TEST(ResponseParser, item_5_1_10_an_end_before_any_byte_may_be_tried_again) {
  ResponseParser parser({}, false);
  EXPECT_FALSE(parser.started());
  auto const ended = parser.put_eof();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, "upstream_broken");
  EXPECT_EQ(ended.error().retry, base::Retry::reused_only);
}

TEST(ResponseParser, an_end_behind_the_message_is_none) {
  ResponseParser parser({}, false);
  EXPECT_TRUE(testing::feed(parser, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", whole()).done);
  EXPECT_TRUE(parser.put_eof());
}

TEST(ResponseParser, limits_hold_for_servers_too) {
  EXPECT_EQ(feed_response("HTTP/1.1 200 OK\r\nA: " + std::string(70'000, 'a') + "\r\n\r\n").code,
            bad);
  std::string many = "HTTP/1.1 200 OK\r\n";
  for (auto count = 0; count < 129; ++count) many += "A: b\r\n";
  EXPECT_EQ(feed_response(many + "\r\n").code, bad);
  std::string const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(feed_response(chunked + "0\r\nA: " + std::string(70'000, 'a') + "\r\n\r\n").code, bad);
  EXPECT_EQ(feed_response(chunked + "1;" + std::string(70'000, 'a') + "\r\n").code, bad);
}

TEST(ResponseParser, keep_alive_and_what_the_fields_say) {
  ResponseParser parser({}, true);
  ASSERT_TRUE(parser.put("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n"));
  EXPECT_TRUE(parser.done());
  EXPECT_EQ(parser.content_length(), 12U);
  EXPECT_TRUE(parser.keep_alive());
  ResponseParser closing({}, false);
  ASSERT_TRUE(closing.put("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: Close\r\n\r\n"));
  EXPECT_FALSE(closing.keep_alive());
}

}  // namespace
}  // namespace slotswap::http
