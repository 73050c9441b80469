#include <slotswap/json/scan.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slotswap::json {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> texts(std::string_view text, std::vector<Range> const& ranges) {
  std::vector<std::string> out;
  for (auto const range : ranges)
    out.emplace_back(text.substr(range.begin, range.end - range.begin));
  return out;
}

std::vector<std::string> members(std::string_view text, std::string_view name) {
  EXPECT_TRUE(parse(text)) << text;
  return texts(text, member_values(text, name));
}

TEST(JsonScan, member_values_are_found_whatever_their_kind) {
  EXPECT_THAT(members(R"({"a":1,"b":2})", "a"), ElementsAre("1"));
  EXPECT_THAT(members(R"({"b":2,"a":-1.5e3})", "a"), ElementsAre("-1.5e3"));
  EXPECT_THAT(members("{\"a\" \t:\r\n true , \"b\":2}", "a"), ElementsAre("true"));
  EXPECT_THAT(members("{ \"b\" : 2 , \"a\" : null }", "a"), ElementsAre("null"));
  EXPECT_THAT(members(R"({"a":"x"})", "a"), ElementsAre("\"x\""));
  EXPECT_THAT(members(R"({"a":"q\"}\\","b":"a"})", "a"), ElementsAre(R"("q\"}\\")"));
  EXPECT_THAT(members(R"({"a":{"a":[1,{"a":"]}"}]},"b":[]})", "a"),
              ElementsAre(R"({"a":[1,{"a":"]}"}]})"));
  EXPECT_THAT(members(R"({"b":[[],[{}]],"a":[]})", "a"), ElementsAre("[]"));
  EXPECT_THAT(members("\xEF\xBB\xBF {\"a\":1}", "a"), ElementsAre("1"));
}

TEST(JsonScan, only_members_of_the_top_level_object_count) {
  EXPECT_THAT(members("{}", "a"), IsEmpty());
  EXPECT_THAT(members("{ }", "a"), IsEmpty());
  EXPECT_THAT(members(R"({"b":{"a":1},"c":"a","d":["a",{"a":2}],"e":"\"a\":3"})", "a"), IsEmpty());
  EXPECT_THAT(members(R"([{"a":1}])", "a"), IsEmpty());
  EXPECT_THAT(members(R"("a")", "a"), IsEmpty());
  EXPECT_THAT(members(R"({"aa":1,"":2,"A":3})", "a"), IsEmpty());
}

TEST(JsonScan, every_one_of_doubled_members_is_found) {
  EXPECT_THAT(members(R"({"a":1,"b":0,"a":"x","a":[]})", "a"), ElementsAre("1", "\"x\"", "[]"));
}

TEST(JsonScan, names_are_compared_decoded) {
  EXPECT_THAT(members(R"({"mod\u0065l":1,"model":2,"mod\\u0065l":3})", "model"),
              ElementsAre("1", "2"));
  EXPECT_THAT(members(R"({"a\"b":1})", "a\"b"), ElementsAre("1"));
  EXPECT_THAT(members("{\"\xC3\xA4\":1,\"\\u00e4\":2}", "\xC3\xA4"), ElementsAre("1", "2"));
}

TEST(JsonScan, elements_of_an_array) {
  std::string const text = R"( [1, "a,]" ,{"b":[2]},[ ],null ] )";
  ASSERT_TRUE(parse(text));
  EXPECT_THAT(texts(text, elements(text)),
              ElementsAre("1", R"("a,]")", R"({"b":[2]})", "[ ]", "null"));
  EXPECT_THAT(elements("[]"), IsEmpty());
  EXPECT_THAT(elements("{}"), IsEmpty());
}

TEST(JsonScan, a_broken_text_ends_the_walk) {
  for (auto const* const text :
       {"", "{", "{\"", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":\"\\", "{\"a\":[{", "{\"a\":}", "{,",
        "{\"a\":1 \"a\":2", "[", "[\"", "[,", "{\"\\"}) {
    for (auto const range : member_values(text, "a")) EXPECT_LE(range.begin, range.end) << text;
    for (auto const range : elements(text))
      EXPECT_LE(range.end, std::string_view(text).size()) << text;
  }
}

TEST(JsonScan, splice_leaves_all_other_bytes) {
  std::string const text = R"({ "a" : 1.0 ,"b":-0, "a":"x" })";
  EXPECT_EQ(splice(text, member_values(text, "a"), "\"new\""),
            R"({ "a" : "new" ,"b":-0, "a":"new" })");
  EXPECT_EQ(splice("abc", {}, "x"), "abc");
  EXPECT_EQ(splice("abc", {{0, 0}, {3, 3}}, "x"), "xabcx");
  EXPECT_EQ(splice("abc", {{0, 3}}, ""), "");
}

TEST(JsonScan, a_quoted_text_reads_back) {
  for (auto const& text : {std::string(), std::string("a\"b\\c\n\x01\x7F"),
                           std::string("\xC3\xA4 \xF0\x9F\x98\x80"), std::string("nul\0in", 6)}) {
    auto const back = parse(quote(text));
    ASSERT_TRUE(back);
    EXPECT_EQ(std::string_view(back->as_string()), text);
  }
  EXPECT_EQ(quote("org/model"), "\"org/model\"");
}

}  // namespace
}  // namespace slotswap::json
