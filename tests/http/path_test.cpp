#include <slotswap/http/path.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace slotswap::http {
namespace {

using namespace std::string_literals;

TEST(Path, is_decoded_once_as_llama_server_does) {
  struct Row {
    std::string_view target;
    std::string path;
    std::string query;
  };
  Row const rows[] = {
      {"/v1/chat/completions", "/v1/chat/completions", ""},
      {"/v1/chat/%63ompletions?a=%41", "/v1/chat/completions", "a=%41"},
      {"/v1/chat/%u0063ompletions", "/v1/chat/completions", ""},
      {"/%2563", "/%63", ""},
      {"/a%2Fb%2f", "/a/b/", ""},
      {"/a%3Fb?c", "/a?b", "c"},
      {"/a+b", "/a+b", ""},
      {"/a%", "/a%", ""},
      {"/a%6", "/a%6", ""},
      {"/a%zz%6", "/a%zz%6", ""},
      {"/a%u00", "/a%u00", ""},
      {"/%00", "/\0"s, ""},
      {"/%C3%A4%u00e4%u20AC", "/\xC3\xA4\xC3\xA4\xE2\x82\xAC", ""},
      {"/%uD800x", "/x", ""},
      {"//v1/../x", "//v1/../x", ""},
      {"/a?b?c", "/a", "b?c"},
      {"*", "*", ""},
  };
  for (auto const& row : rows) {
    SCOPED_TRACE(row.target);
    auto const target = split_target(row.target);
    EXPECT_EQ(target.path, row.path);
    EXPECT_EQ(target.query, row.query);
  }
}

TEST(Path, query_values) {
  EXPECT_EQ(query_value("action=save&x=1", "action"), "save");
  EXPECT_EQ(query_value("a=1&action=%73ave+it&action=b", "action"), "save it");
  EXPECT_EQ(query_value("%61ction=x", "action"), "x");
  EXPECT_EQ(query_value("action", "action"), "");
  EXPECT_EQ(query_value("action=", "action"), "");
  EXPECT_EQ(query_value("a=b=c", "a"), "b=c");
  EXPECT_EQ(query_value("actions=x&", "action"), std::nullopt);
  EXPECT_EQ(query_value("", "action"), std::nullopt);
}

TEST(Path, components_are_encoded_outside_the_unreserved) {
  EXPECT_EQ(encode_component("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(encode_component("a b/%\xC3\xA4&"), "a%20b%2F%25%C3%A4%26");
  EXPECT_EQ(split_target("/" + encode_component("x/y?z")).path, "/x/y?z");
}

}  // namespace
}  // namespace slotswap::http
