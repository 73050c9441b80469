#include "feeding.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace slotswap::http {
namespace {

using testing::by;
using testing::feed_request;
using testing::whole;

std::string const chunked_head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";

TEST(RequestBody, pieces_are_views_into_the_argument) {
  RequestParser parser({});
  std::string const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n";
  ASSERT_TRUE(parser.put(head));
  std::string_view const first = "ab";
  auto found = parser.put(first);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->pieces.size(), 1U);
  EXPECT_EQ(found->pieces[0].data(), first.data());
  EXPECT_EQ(found->pieces[0], "ab");
  EXPECT_FALSE(parser.done());
  found = parser.put("cdGET");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->consumed, 2U);
  EXPECT_EQ(found->pieces[0], "cd");
  EXPECT_TRUE(parser.done());
}

TEST(RequestBody, item_5_1_3_no_piece_is_ever_empty) {
  RequestParser parser({});
  ASSERT_TRUE(parser.put(chunked_head));
  for (auto const c : std::string_view("3\r\nabc\r\n1;x\r\nd\r\n0\r\nA: b\r\n\r\n")) {
    auto const found = parser.put(std::string_view(&c, 1));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->consumed, 1U);
    for (auto const piece : found->pieces) EXPECT_FALSE(piece.empty());
  }
  EXPECT_TRUE(parser.done());
}

TEST(RequestBody, what_follows_the_message_is_not_consumed) {
  RequestParser parser({});
  ASSERT_TRUE(parser.put(chunked_head));
  auto const found = parser.put("1\r\na\r\n0\r\n\r\nGET / HTTP/1.1\r\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->consumed, 11U);
  EXPECT_TRUE(parser.done());
  auto const after = parser.put("GET / HTTP/1.1\r\n");
  ASSERT_TRUE(after);
  EXPECT_EQ(after->consumed, 0U);
}

TEST(RequestBody, item_5_1_1_a_trailer_of_70_kb_is_a_fault) {
  auto const trailer = "0\r\nA: " + std::string(70'000, 'a') + "\r\n\r\n";
  EXPECT_EQ(feed_request(chunked_head + trailer).code, "bad_framing");
  EXPECT_EQ(feed_request(chunked_head + trailer, by(1000)).code, "bad_framing");
  EXPECT_EQ(feed_request(chunked_head + trailer, by(1)).code, "bad_framing");
}

TEST(RequestBody, item_5_1_2_extensions_and_trailers_are_bounded) {
  ParserLimits limits;
  limits.pending_bytes = 10;
  auto const code = [&limits](std::string const& body, std::size_t size) {
    return feed_request(chunked_head + body, by(size), limits).code;
  };
  for (auto const size : {std::size_t{1}, std::size_t{3}, std::string::npos}) {
    EXPECT_EQ(code("1;" + std::string(9, 'a') + "\r\na\r\n0\r\n\r\n", size), "");
    EXPECT_EQ(code("1;" + std::string(10, 'a') + "\r\na\r\n0\r\n\r\n", size), "bad_framing");
    EXPECT_EQ(code("1;aaaaaaaa\r\na\r\n1;aaaaaaaa\r\na\r\n0\r\n\r\n", size), "");
    EXPECT_EQ(code("0\r\nA: b\r\nA: b\r\n\r\n", size), "");
    EXPECT_EQ(code("0\r\nA: b\r\nA: b\r\nA: b\r\n\r\n", size), "bad_framing");
  }
  std::string many = "0\r\n";
  for (auto count = 0; count < 20'000; ++count) many += "A: b\r\n";
  EXPECT_EQ(feed_request(chunked_head + many + "\r\n").code, "bad_framing");
  EXPECT_EQ(feed_request(chunked_head + "1;" + std::string(1 << 20, 'a')).code, "bad_framing");
}

TEST(RequestBody, item_5_1_5_trailers_are_dropped_and_never_change_the_head) {
  RequestParser parser({});
  auto const outcome = testing::feed(
      parser, chunked_head + "1\r\na\r\n0\r\nAuthorization: Bearer x\r\nConnection: close\r\n\r\n",
      whole());
  EXPECT_EQ(outcome.code, "");
  EXPECT_TRUE(outcome.done);
  EXPECT_EQ(outcome.body, "a");
  EXPECT_EQ(outcome.head, chunked_head);
  EXPECT_TRUE(parser.keep_alive());
}

TEST(RequestBody, every_chunk_begins_anew) {
  std::string body;
  for (auto count = 0; count < 40; ++count) body += "01\r\na\r\n";
  EXPECT_EQ(feed_request(chunked_head + body + "0\r\n\r\n").body, std::string(40, 'a'));
  EXPECT_EQ(feed_request(chunked_head + body + "\r\n\r\n").code, "bad_framing");
}

TEST(RequestBody, after_a_fault_it_stays_one) {
  RequestParser parser({});
  ASSERT_TRUE(parser.put(chunked_head));
  EXPECT_FALSE(parser.put("x"));
  EXPECT_FALSE(parser.put("0\r\n\r\n"));
  EXPECT_FALSE(parser.done());
}

TEST(RequestBody, a_body_is_not_limited_here) {
  auto const size = std::size_t{9} << 20U;  // over both of Beast's default limits
  auto const outcome =
      feed_request("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(size) +
                       "\r\n\r\n" + std::string(size, 'a'),
                   by(65536));
  EXPECT_TRUE(outcome.done);
  EXPECT_EQ(outcome.body.size(), size);
}

}  // namespace
}  // namespace slotswap::http
