#include <slotswap/http/message.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace slotswap::http {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Fields sample() {
  Fields fields;
  fields.add("Accept", "a");
  fields.add("X-One", "1");
  fields.add("accept", "b");
  return fields;
}

std::string text(Fields const& fields) {
  std::string out;
  for (auto const& field : fields) out += field.name + "=" + field.value + " ";
  return out;
}

TEST(Fields, names_are_compared_without_case_and_order_is_kept) {
  auto const fields = sample();
  EXPECT_EQ(text(fields), "Accept=a X-One=1 accept=b ");
  EXPECT_EQ(fields.get("ACCEPT"), "a");
  EXPECT_THAT(fields.all("accept"), ElementsAre("a", "b"));
  EXPECT_TRUE(fields.has("x-one"));
  EXPECT_FALSE(fields.has("x-on"));
  EXPECT_EQ(fields.get("absent"), "");
}

TEST(Fields, set_replaces_all_of_a_name_at_the_first_ones_place) {
  auto fields = sample();
  fields.set("ACCEPT", "c");
  fields.set("New", "d");
  EXPECT_EQ(text(fields), "Accept=c X-One=1 New=d ");
}

TEST(Fields, erase_takes_all_of_a_name) {
  auto fields = sample();
  fields.erase("accept");
  EXPECT_EQ(text(fields), "X-One=1 ");
}

TEST(Fields, tokens_of_list_fields_are_found_in_any_line) {
  Fields fields;
  fields.add("Connection", "a , ,Keep-Alive");
  fields.add("connection", "\tclose");
  EXPECT_TRUE(fields.has_token("Connection", "keep-alive"));
  EXPECT_TRUE(fields.has_token("Connection", "CLOSE"));
  EXPECT_FALSE(fields.has_token("Connection", "keep"));
  EXPECT_FALSE(fields.has_token("Connection", ""));
}

TEST(Fields, lists_are_split_at_commas_and_trimmed) {
  EXPECT_THAT(list_tokens(" a,b ,, c"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(list_tokens(","), IsEmpty());
  EXPECT_THAT(list_tokens(""), IsEmpty());
}

TEST(Serialize, heads) {
  RequestHead request;
  request.method = "POST";
  request.target = "/v1/x";
  request.fields.add("Host", "h");
  EXPECT_EQ(serialize(request), "POST /v1/x HTTP/1.1\r\nHost: h\r\n\r\n");
  ResponseHead response;
  response.status = 404;
  response.reason = "Not Found";
  response.minor = 0;
  EXPECT_EQ(serialize(response), "HTTP/1.0 404 Not Found\r\n\r\n");
}

TEST(Serialize, a_value_never_begins_a_line) {
  ResponseHead response;
  response.status = 200;
  response.reason = "O\nK";
  response.fields.add("A", std::string("b\r\nSet-Cookie: c\0d", 18));
  EXPECT_EQ(serialize(response), "HTTP/1.1 200 O K\r\nA: b  Set-Cookie: c d\r\n\r\n");
}

TEST(Reason, phrases) {
  EXPECT_EQ(reason_phrase(200), "OK");
  EXPECT_EQ(reason_phrase(431), "Request Header Fields Too Large");
  EXPECT_EQ(reason_phrase(299), "Unknown");
}

}  // namespace
}  // namespace slotswap::http
