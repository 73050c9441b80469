#include <slotswap/json/scan.hpp>

#include <gtest/gtest.h>

namespace slotswap::json {
namespace {

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(JsonParse, takes_whole_texts) {
  for (auto const* const text :
       {"{}", " [1,2] \n", "\"a\"", "12", "null", "\xEF\xBB\xBF{\"a\":1}", "{\"a\":1,\"a\":2}",
        R"({"deep":{"er":[{"x":"\u00e4\n\ud83d\ude00"}]}})"}) {
    EXPECT_TRUE(parse(text)) << text;
  }
}

TEST(JsonParse, faults_say_where_the_text_went_wrong) {
  struct Row {
    std::string text;
    std::string where;
  };
  for (auto const& row :
       {Row{"", "byte 0"}, Row{"{", "byte 1"}, Row{"{} x", "byte 3"}, Row{"{}{}", "byte 2"},
        Row{"[1,,2]", "byte 3"}, Row{"\xEF\xBB\xBF{} x", "byte 6"}}) {
    auto const result = parse(row.text);
    ASSERT_FALSE(result) << row.text;
    EXPECT_EQ(result.error().code, "bad_json");
    EXPECT_EQ(result.error().side, base::Side::client);
    EXPECT_TRUE(result.error().detail.ends_with(row.where))
        << row.text << ": " << result.error().detail;
  }
}

TEST(JsonParse, refuses_what_llama_server_refuses) {
  for (auto const* const text :
       {"\"a\xFF\"", "\"\\ud800\"", "\"\xED\xA0\x80\"", "{'a':1}", "/* c */ {}", "{\"a\":1,}",
        "[01]", "\"tab\there\"", "nul", "{\"a\"}", "\"a"}) {
    EXPECT_FALSE(parse(text)) << text;
  }
}

TEST(JsonParse, the_last_of_doubled_members_counts) {
  EXPECT_EQ(parse(R"({"a":1,"b":2,"a":3})")->at("a").as_int64(), 3);
}

TEST(JsonParse, depth_is_bounded) {
  EXPECT_TRUE(parse(nested(512)));
  EXPECT_FALSE(parse(nested(513)));
  EXPECT_TRUE(parse(nested(40), 40));
  EXPECT_FALSE(parse(nested(41), 40));
  EXPECT_FALSE(parse(nested(10'000)));
  EXPECT_FALSE(parse(std::string(1'000'000, '[')));
}

}  // namespace
}  // namespace slotswap::json
