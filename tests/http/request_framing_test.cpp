#include "feeding.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace slotswap::http {
namespace {

using namespace std::string_view_literals;
using testing::by;
using testing::feed_request;

struct Row {
  std::string_view what;
  std::string_view input;
  std::string_view code;  // empty: accepted
  std::string_view body = {};
  std::string_view rest = {};
};

// Every row ends in a request that a parser which cuts elsewhere would take for the next one.
constexpr auto next = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"sv;

std::vector<Row> const& length_rows() {
  static std::vector<Row> const rows = {
      {"no body", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "", "", next},
      {"a POST without framing has no body", "POST / HTTP/1.1\r\nHost: x\r\n\r\n", "", "", next},
      {"length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde", "", "abcde", next},
      {"length 0", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", "", "", next},
      {"length with leading zeros",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 005\r\n\r\nabcde", "", "abcde", next},
      {"length of a GET", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab", "", "ab",
       next},
      {"length name in any case", "POST / HTTP/1.1\r\nHost: x\r\ncontent-LENGTH: 2\r\n\r\nab", "",
       "ab", next},
      {"length with blanks around",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \t 2 \t\r\n\r\nab", "", "ab", next},
      {"length in HTTP/1.0", "POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\nab", "", "ab", next},
      {"two equal lengths",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nabcde",
       "bad_framing"},
      {"two different lengths",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde",
       "bad_framing"},
      {"a list of equal lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5, 5\r\n\r\nabcde",
       "bad_framing"},
      {"a list of different lengths",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5, 6\r\n\r\nabcde", "bad_framing"},
      {"length with plus", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\nabcde",
       "bad_framing"},
      {"negative length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\nabcde",
       "bad_framing"},
      {"hex length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x5\r\n\r\nabcde",
       "bad_framing"},
      {"empty length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n\r\nabcde", "bad_framing"},
      {"length with a point", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5.0\r\n\r\nabcde",
       "bad_framing"},
      {"length with a blank inside",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5 5\r\n\r\nabcde", "bad_framing"},
      {"length over 64 bits",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551616\r\n\r\nabcde",
       "bad_framing"},
      {"length that ends in a comma",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5,\r\n\r\nabcde", "bad_framing"},
      {"length named by Connection",
       "POST / HTTP/1.1\r\nHost: x\r\nConnection: content-length\r\nContent-Length: 5\r\n\r\nabcde",
       "bad_framing"},
  };
  return rows;
}

std::vector<Row> const& coding_rows() {
  static std::vector<Row> const rows = {
      {"chunked",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n",
       "", "abcde", next},
      {"chunked in any case",
       "POST / HTTP/1.1\r\nHost: x\r\ntransfer-encoding: CHUNKED\r\n\r\n1\r\na\r\n0\r\n\r\n", "",
       "a", next},
      {"chunked and empty",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "", "", next},
      {"length before chunked",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: "
       "chunked\r\n\r\n0\r\n\r\n",
       "bad_framing"},
      {"chunked before length",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: "
       "5\r\n\r\n0\r\n\r\n",
       "bad_framing"},
      {"gzip before length",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\nContent-Length: 5\r\n\r\nabcde",
       "bad_framing"},
      {"length before gzip",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: gzip\r\n\r\nabcde",
       "bad_framing"},
      {"identity with length",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\nContent-Length: "
       "5\r\n\r\nabcde",
       "bad_framing"},
      {"xchunked with length",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\nContent-Length: "
       "5\r\n\r\nabcde",
       "bad_framing"},
      {"gzip alone", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
       "bad_framing"},
      {"identity alone", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\n\r\n",
       "bad_framing"},
      {"chunked, gzip",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
       "bad_framing"},
      {"gzip, chunked",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
       "bad_framing"},
      {"chunked, chunked",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
       "bad_framing"},
      {"chunked twice",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: "
       "chunked\r\n\r\n0\r\n\r\n",
       "bad_framing"},
      {"identity, then chunked",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\nTransfer-Encoding: "
       "chunked\r\n\r\n0\r\n\r\n",
       "bad_framing"},
      {"chunked, then identity",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: "
       "identity\r\n\r\n0\r\n\r\n",
       "bad_framing"},
      {"an empty coding",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\nContent-Length: 5\r\n\r\nabcde",
       "bad_framing"},
      {"chunked with a comma",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked,\r\n\r\n0\r\n\r\n", "bad_framing"},
      {"chunked with a parameter",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked;a=b\r\n\r\n0\r\n\r\n",
       "bad_framing"},
      {"chunked in quotes",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n",
       "bad_framing"},
      {"chunked behind a vertical tab",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \vchunked\r\n\r\n0\r\n\r\n",
       "bad_request"},
      {"chunked in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       "bad_framing"},
      {"chunked folded",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
       "bad_framing"},
      {"chunked named by Connection",
       "POST / HTTP/1.1\r\nHost: x\r\nConnection: close, Transfer-Encoding\r\nTransfer-Encoding: "
       "chunked\r\n\r\n0\r\n\r\n",
       "bad_framing"},
      {"Host named by Connection", "POST / HTTP/1.1\r\nHost: x\r\nConnection: host\r\n\r\n",
       "bad_framing"},
      {"a field folded by a tab", "POST / HTTP/1.1\r\nHost: x\r\nA: b\r\n\tc\r\n\r\n",
       "bad_framing"},
      {"the first field indented", "POST / HTTP/1.1\r\n Host: x\r\n\r\n", "bad_framing"},
  };
  return rows;
}

std::vector<Row> const& chunk_rows() {
#define CHUNKED "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
  static std::vector<Row> const rows = {
      {"two chunks", CHUNKED "2\r\nab\r\nA\r\n0123456789\r\n0\r\n\r\n", "", "ab0123456789", next},
      {"hex in both cases", CHUNKED "a\r\n0123456789\r\nB\r\n0123456789a\r\n0\r\n\r\n", "",
       "01234567890123456789a", next},
      {"leading zeros", CHUNKED "0002\r\nab\r\n000\r\n\r\n", "", "ab", next},
      {"an extension", CHUNKED "2;a=b\r\nab\r\n0;c\r\n\r\n", "", "ab", next},
      {"a quoted extension", CHUNKED "2 ; a = \"x;y\"\r\nab\r\n0\r\n\r\n", "", "ab", next},
      {"a trailer", CHUNKED "2\r\nab\r\n0\r\nA: b\r\nC:\r\n\r\n", "", "ab", next},
      {"CR and LF as data", CHUNKED "4\r\n\r\n\r\n\r\n0\r\n\r\n", "", "\r\n\r\n", next},
      {"no size", CHUNKED "\r\nab\r\n0\r\n\r\n", "bad_framing"},
      {"a size that is not hex", CHUNKED "g\r\nab\r\n0\r\n\r\n", "bad_framing"},
      {"a size with 0x", CHUNKED "0x2\r\nab\r\n0\r\n\r\n", "bad_framing"},
      {"a size with plus", CHUNKED "+2\r\nab\r\n0\r\n\r\n", "bad_framing"},
      {"a negative size", CHUNKED "-2\r\nab\r\n0\r\n\r\n", "bad_framing"},
      {"a size behind a blank", CHUNKED " 2\r\nab\r\n0\r\n\r\n", "bad_framing"},
      {"a size before a blank", CHUNKED "2 \r\nab\r\n0\r\n\r\n", "bad_framing"},
      {"a size over 64 bits", CHUNKED "10000000000000002\r\nab\r\n0\r\n\r\n", "bad_framing"},
      {"a size of many zeros", CHUNKED "00000000000000002\r\nab\r\n0\r\n\r\n", "bad_framing"},
      {"a size ended by LF", CHUNKED "2\nab\r\n0\r\n\r\n", "bad_framing"},
      {"a size ended by CR", CHUNKED "2\rab\r\n0\r\n\r\n", "bad_framing"},
      {"an extension ended by LF", CHUNKED "2;a\nab\r\n0\r\n\r\n", "bad_framing"},
      {"an extension with NUL", CHUNKED "2;a\0\r\nab\r\n0\r\n\r\n"sv, "bad_framing"},
      {"data ended by LF", CHUNKED "2\r\nab\n0\r\n\r\n", "bad_framing"},
      {"data without an end", CHUNKED "2\r\nab0\r\n\r\n", "bad_framing"},
      {"data longer than its size", CHUNKED "2\r\nabc\r\n0\r\n\r\n", "bad_framing"},
      {"the end ended by LF", CHUNKED "2\r\nab\r\n0\r\n\n", "bad_framing"},
      {"Content-Length as a trailer", CHUNKED "2\r\nab\r\n0\r\nContent-Length: 5\r\n\r\n",
       "bad_framing"},
      {"Transfer-Encoding as a trailer", CHUNKED "2\r\nab\r\n0\r\ntransfer-encoding: gzip\r\n\r\n",
       "bad_framing"},
      {"Host as a trailer", CHUNKED "2\r\nab\r\n0\r\nHost: y\r\n\r\n", "bad_framing"},
      {"a trailer without a name", CHUNKED "2\r\nab\r\n0\r\n: b\r\n\r\n", "bad_framing"},
      {"a trailer without a colon", CHUNKED "2\r\nab\r\n0\r\nGET / HTTP/1.1\r\n\r\n",
       "bad_framing"},
      {"a folded trailer", CHUNKED "2\r\nab\r\n0\r\nA: b\r\n c\r\n\r\n", "bad_framing"},
      {"a trailer with a bare LF", CHUNKED "2\r\nab\r\n0\r\nA: b\nC: d\r\n\r\n", "bad_framing"},
      {"a trailer with a bare CR", CHUNKED "2\r\nab\r\n0\r\nA: b\rC: d\r\n\r\n", "bad_framing"},
  };
#undef CHUNKED
  return rows;
}

void check(Row const& row) {
  SCOPED_TRACE(row.what);
  auto const input = std::string(row.input) + std::string(next);
  auto const at_once = feed_request(input);
  EXPECT_EQ(at_once.code, row.code);
  if (row.code.empty()) {
    EXPECT_TRUE(at_once.done);
    EXPECT_EQ(at_once.body, row.body);
    EXPECT_EQ(at_once.rest, row.rest);
  } else {
    EXPECT_FALSE(at_once.done);
  }
  for (auto const size : {1U, 2U, 3U, 7U}) {
    SCOPED_TRACE(size);
    EXPECT_EQ(feed_request(input, by(size)), at_once);
  }
}

TEST(RequestFraming, item_5_1_4_lengths) {
  for (auto const& row : length_rows()) check(row);
}

TEST(RequestFraming, item_5_1_4_transfer_codings) {
  for (auto const& row : coding_rows()) check(row);
}

TEST(RequestFraming, chunked_bodies) {
  for (auto const& row : chunk_rows()) check(row);
}

TEST(RequestFraming, a_refused_coding_is_refused_before_any_byte_of_the_body) {
  RequestParser parser({});
  auto const found = parser.put("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, "bad_framing");
  EXPECT_EQ(found.error().side, base::Side::client);
  EXPECT_FALSE(parser.head_done());
}

}  // namespace
}  // namespace slotswap::http
