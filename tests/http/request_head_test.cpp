#include "feeding.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace slotswap::http {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using testing::by;
using testing::feed_request;

struct Row {
  std::string_view what;
  std::string_view input;
  std::string_view code;  // empty: accepted
};

void check(std::vector<Row> const& rows) {
  for (auto const& row : rows) {
    SCOPED_TRACE(row.what);
    auto const at_once = feed_request(row.input);
    EXPECT_EQ(at_once.code, row.code);
    EXPECT_EQ(at_once.done, row.code.empty());
    EXPECT_EQ(feed_request(row.input, by(1)), at_once);
    EXPECT_EQ(feed_request(row.input, by(5)), at_once);
  }
}

TEST(RequestHead, request_lines) {
  check({
      {"GET", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", ""},
      {"HEAD", "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", ""},
      {"PUT", "PUT / HTTP/1.1\r\nHost: x\r\n\r\n", ""},
      {"PATCH", "PATCH / HTTP/1.1\r\nHost: x\r\n\r\n", ""},
      {"DELETE", "DELETE / HTTP/1.1\r\nHost: x\r\n\r\n", ""},
      {"OPTIONS with a path", "OPTIONS /v1 HTTP/1.1\r\nHost: x\r\n\r\n", ""},
      {"OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", ""},
      {"GET *", "GET * HTTP/1.1\r\nHost: x\r\n\r\n", "bad_request"},
      {"TRACE", "TRACE / HTTP/1.1\r\nHost: x\r\n\r\n", "bad_request"},
      {"CONNECT", "CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n", "bad_request"},
      {"an unknown method", "BREW / HTTP/1.1\r\nHost: x\r\n\r\n", "bad_request"},
      {"a lower-case method", "get / HTTP/1.1\r\nHost: x\r\n\r\n", "bad_request"},
      {"no method", " / HTTP/1.1\r\nHost: x\r\n\r\n", "bad_request"},
      {"HTTP/2's preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "bad_request"},
      {"TLS to a plain port", "\x16\x03\x01\x02\x00\x01"sv, "bad_request"},
      {"absolute form", "GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n", "bad_request"},
      {"no leading slash", "GET v1 HTTP/1.1\r\nHost: x\r\n\r\n", "bad_request"},
      {"an empty target", "GET  HTTP/1.1\r\nHost: x\r\n\r\n", "bad_request"},
      {"8-bit bytes in the target", "GET /\xC3\xA4 HTTP/1.1\r\nHost: x\r\n\r\n", "bad_request"},
      {"a control byte in the target", "GET /\x01 HTTP/1.1\r\nHost: x\r\n\r\n", "bad_request"},
      {"a tab in the target", "GET /\tx HTTP/1.1\r\nHost: x\r\n\r\n", "bad_request"},
      {"DEL in the target", "GET /\x7F HTTP/1.1\r\nHost: x\r\n\r\n", "bad_request"},
      {"a fragment, where llama-server cuts",
       "GET /v1/chat/completions#x HTTP/1.1\r\nHost: x\r\n\r\n", "bad_request"},
      {"a blank in the target", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", "bad_request"},
      {"two blanks", "GET /  HTTP/1.1\r\nHost: x\r\n\r\n", "bad_request"},
      {"no version", "GET /\r\nHost: x\r\n\r\n", "bad_request"},
      {"HTTP/0.9", "GET / HTTP/0.9\r\nHost: x\r\n\r\n", "bad_request"},
      {"HTTP/1.2", "GET / HTTP/1.2\r\nHost: x\r\n\r\n", "bad_request"},
      {"a version in lower case", "GET / http/1.1\r\nHost: x\r\n\r\n", "bad_request"},
      {"a blank behind the version", "GET / HTTP/1.1 \r\nHost: x\r\n\r\n", "bad_request"},
      {"a line ended by LF", "GET / HTTP/1.1\nHost: x\n\n", "bad_request"},
      {"a line ended by CR", "GET / HTTP/1.1\rHost: x\r\r", "bad_request"},
      {"nothing but the blank line behind four", "\r\n\r\n\r\n\r\n\r\n\r\n", "bad_request"},
  });
}

TEST(RequestHead, fields) {
  check({
      {"HTTP/1.0 without Host", "GET / HTTP/1.0\r\n\r\n", ""},
      {"no fields at all", "GET / HTTP/1.1\r\n\r\n", "bad_request"},
      {"no Host", "GET / HTTP/1.1\r\nA: b\r\n\r\n", "bad_request"},
      {"two Hosts", "GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", "bad_request"},
      {"two Hosts in HTTP/1.0", "GET / HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n", "bad_request"},
      {"an empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", ""},
      {"a Host with a port", "GET / HTTP/1.1\r\nHost: [::1]:9940\r\n\r\n", ""},
      {"a Host with a blank", "GET / HTTP/1.1\r\nHost: x y\r\n\r\n", "bad_request"},
      {"a Host with a path", "GET / HTTP/1.1\r\nHost: x/y\r\n\r\n", "bad_request"},
      {"a Host with a user", "GET / HTTP/1.1\r\nHost: a@x\r\n\r\n", "bad_request"},
      {"a blank before the colon", "GET / HTTP/1.1\r\nHost : x\r\n\r\n", "bad_request"},
      {"no colon", "GET / HTTP/1.1\r\nHost: x\r\nabc\r\n\r\n", "bad_request"},
      {"no name", "GET / HTTP/1.1\r\nHost: x\r\n: b\r\n\r\n", "bad_request"},
      {"a blank in a name", "GET / HTTP/1.1\r\nHost: x\r\nA B: c\r\n\r\n", "bad_request"},
      {"an 8-bit name", "GET / HTTP/1.1\r\nHost: x\r\n\xC3\xA4: c\r\n\r\n", "bad_request"},
      {"an 8-bit value", "GET / HTTP/1.1\r\nHost: x\r\nA: \xC3\xA4\r\n\r\n", ""},
      {"an empty value", "GET / HTTP/1.1\r\nHost: x\r\nA:\r\n\r\n", ""},
      {"a tab in a value", "GET / HTTP/1.1\r\nHost: x\r\nA: b\tc\r\n\r\n", ""},
      {"NUL in a value", "GET / HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n"sv, "bad_request"},
      {"NUL in a name", "GET / HTTP/1.1\r\nHost: x\r\nA\0: c\r\n\r\n"sv, "bad_request"},
      {"a bare CR in a value", "GET / HTTP/1.1\r\nHost: x\r\nA: b\rc\r\n\r\n", "bad_request"},
      {"a bare LF in a value", "GET / HTTP/1.1\r\nHost: x\r\nA: b\nC: d\r\n\r\n", "bad_request"},
      {"DEL in a value", "GET / HTTP/1.1\r\nHost: x\r\nA: b\x7F\r\n\r\n", "bad_request"},
      {"a malformed Connection", "GET / HTTP/1.1\r\nHost: x\r\nConnection: a b\r\n\r\n",
       "bad_request"},
  });
}

TEST(RequestHead, is_kept_as_it_came) {
  RequestParser parser({});
  auto const input =
      "POST /a%20b?c=d HTTP/1.1\r\nHOST: x\r\nA:  b \r\na: c\r\nContent-Length: 2\r\n\r\n"sv;
  auto const found = parser.put(std::string(input) + "xy");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->consumed, input.size());
  EXPECT_TRUE(found->pieces.empty());
  ASSERT_TRUE(parser.head_done());
  EXPECT_FALSE(parser.done());
  EXPECT_EQ(parser.head().method, "POST");
  EXPECT_EQ(parser.head().target, "/a%20b?c=d");
  EXPECT_EQ(parser.head().minor, 1);
  EXPECT_EQ(serialize(parser.head()),
            "POST /a%20b?c=d HTTP/1.1\r\nHOST: x\r\nA: b\r\na: c\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(parser.content_length(), 2U);
  EXPECT_FALSE(parser.chunked());
}

TEST(RequestHead, a_few_empty_lines_before_it_are_dropped_at_once) {
  RequestParser parser({});
  auto found = parser.put("\r\n\r\n\r");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->consumed, 4U);
  found = parser.put("\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(found);
  EXPECT_TRUE(parser.done());
}

TEST(RequestHead, a_fifth_empty_line_is_refused) {
  std::string lines;
  for (auto count = 0; count < 4; ++count) lines += "\r\n";
  auto const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"s;
  EXPECT_EQ(feed_request(lines + request).code, "");
  EXPECT_EQ(feed_request(lines + "\r\n" + request).code, "bad_request");
  EXPECT_EQ(feed_request(lines + "\r\n" + request, by(1)).code, "bad_request");
}

TEST(RequestHead, its_size_is_limited_to_the_byte) {
  ParserLimits limits;
  limits.head_bytes = 200;
  auto const of_size = [](std::size_t size) {
    std::string head = "GET / HTTP/1.1\r\nHost: x\r\nA: ";
    return head.append(size - head.size() - 4, 'a') + "\r\n\r\n";
  };
  for (auto const size : {std::size_t{1}, std::size_t{64}, std::string::npos}) {
    EXPECT_EQ(feed_request(of_size(200), by(size), limits).code, "");
    EXPECT_EQ(feed_request(of_size(201), by(size), limits).code, "head_too_large");
    EXPECT_EQ(feed_request(std::string(199, 'a'), by(size), limits).code, "");
    EXPECT_EQ(feed_request(std::string(200, 'a'), by(size), limits).code, "head_too_large");
  }
}

TEST(RequestHead, a_field_of_70_kb_is_a_fault) {
  auto const input = "GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(70'000, 'a') + "\r\n\r\n";
  EXPECT_EQ(feed_request(input).code, "head_too_large");
  ParserLimits wide;
  wide.head_bytes = 1 << 20;
  EXPECT_EQ(feed_request(input, testing::whole(), wide).code, "");
}

TEST(RequestHead, the_count_of_fields_is_limited) {
  std::string head = "GET / HTTP/1.1\r\nHost: x\r\n";
  for (auto count = 1; count < 128; ++count) head += "A: b\r\n";
  EXPECT_EQ(feed_request(head + "\r\n").code, "");
  EXPECT_EQ(feed_request(head + "A: b\r\n\r\n").code, "too_many_fields");
}

TEST(RequestHead, keep_alive_follows_version_and_connection) {
  auto const keep_alive = [](std::string const& head) {
    RequestParser parser({});
    EXPECT_TRUE(parser.put(head + "\r\n"));
    EXPECT_TRUE(parser.done());
    return parser.keep_alive();
  };
  EXPECT_TRUE(keep_alive("GET / HTTP/1.1\r\nHost: x\r\n"));
  EXPECT_FALSE(keep_alive("GET / HTTP/1.1\r\nHost: x\r\nConnection: a, CLOSE\r\n"));
  EXPECT_FALSE(
      keep_alive("GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\nConnection: close\r\n"));
  EXPECT_FALSE(keep_alive("GET / HTTP/1.0\r\n"));
  EXPECT_TRUE(keep_alive("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n"));
}

}  // namespace
}  // namespace slotswap::http
