#include <slotswap/base/text.hpp>

#include <gtest/gtest.h>

namespace slotswap::base {
namespace {

TEST(Text, sha256_is_the_published_digest) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Text, hex32_is_exact) {
  EXPECT_TRUE(is_hex32("3f9a0c1d5b7e4a2c8d6f1e0b9a7c5d3e"));
  EXPECT_FALSE(is_hex32("3F9a0c1d5b7e4a2c8d6f1e0b9a7c5d3e"));
  EXPECT_FALSE(is_hex32("3f9a0c1d5b7e4a2c8d6f1e0b9a7c5d3"));
  EXPECT_FALSE(is_hex32("3f9a0c1d5b7e4a2c8d6f1e0b9a7c5d3e0"));
  EXPECT_FALSE(is_hex32(""));
}

TEST(Text, code_points_count_characters_not_bytes) {
  EXPECT_EQ(code_points("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"), 4U);
  EXPECT_EQ(code_points(""), 0U);
}

TEST(Text, common_prefix_never_cuts_a_character) {
  EXPECT_EQ(common_prefix("abc", "abd"), 2U);
  EXPECT_EQ(common_prefix("abc", "abc"), 3U);
  EXPECT_EQ(common_prefix("abc", "abcd"), 3U);
  EXPECT_EQ(common_prefix("", "x"), 0U);
  // U+00E4 and U+00E5 share their first byte; so do the first three bytes of two emoji.
  EXPECT_EQ(common_prefix("a\xC3\xA4", "a\xC3\xA5"), 1U);
  EXPECT_EQ(common_prefix("\xF0\x9F\x98\x80", "\xF0\x9F\x98\x81"), 0U);
  EXPECT_EQ(common_prefix("a\xC3\xA4", "a\xC3\xA4"), 3U);
  EXPECT_EQ(common_prefix("a\xC3\xA4", "a\xC3\xA4z"), 3U);
}

TEST(Text, globs) {
  struct Row {
    char const* pattern;
    char const* text;
    bool match;
  };
  for (auto const& row :
       {Row{"*", "", true}, Row{"*", "qwen", true}, Row{"qwen*", "qwen3-32b", true},
        Row{"qwen*", "xqwen", false}, Row{"*-32b", "qwen3-32b", true}, Row{"q?en", "qwen", true},
        Row{"q?en", "qen", false}, Row{"a*b*c", "aXbYbZc", true}, Row{"a*b*c", "aXbYbZ", false},
        Row{"org/*", "org/model:q4", true}, Row{"", "", true}, Row{"", "a", false}}) {
    EXPECT_EQ(glob_match(row.pattern, row.text), row.match) << row.pattern << " ~ " << row.text;
  }
}

TEST(Text, host_and_port) {
  EXPECT_EQ(host_and_port("127.0.0.1", 80), "127.0.0.1:80");
  EXPECT_EQ(host_and_port("some.where", 9940), "some.where:9940");
  EXPECT_EQ(host_and_port("::1", 9940), "[::1]:9940");
}

TEST(Text, trim_and_case) {
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(trim("  "), "");
  EXPECT_TRUE(equals_ignoring_case("X-Session-ID", "x-session-id"));
  EXPECT_FALSE(equals_ignoring_case("X-Session-ID", "x-session-i"));
  EXPECT_EQ(to_lower("AbC-1"), "abc-1");
}

}  // namespace
}  // namespace slotswap::base
