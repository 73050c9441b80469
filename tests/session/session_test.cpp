#include <slotswap/base/text.hpp>
#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>

#include <set>

namespace slotswap::session {
namespace {

constexpr auto hex_id = "3f9a0c1d5b7e4a2c8d6f1e0b9a7c5d3e";

TEST(StateId, thirty_two_hex_digits_are_used_as_they_are) {
  EXPECT_EQ(state_id(hex_id), hex_id);
}

TEST(StateId, any_other_value_is_hashed_to_that_form) {
  std::set<std::string> seen;
  for (std::string const id :
       {"a", "story", "3F9A0C1D5B7E4A2C8D6F1E0B9A7C5D3E", "3f9a0c1d5b7e4a2c8d6f1e0b9a7c5d3",
        "../../etc", "3f9a0c1d5b7e4a2c8d6f1e0b9a7c5d3e0", "\xC3\xA4\n"}) {
    auto const state = state_id(id);
    EXPECT_TRUE(base::is_hex32(state)) << id;
    EXPECT_NE(state, id);
    EXPECT_EQ(state, state_id(id));
    EXPECT_TRUE(seen.insert(state).second) << id;
  }
}

TEST(StateId, a_tenant_keeps_equal_ids_apart) {
  EXPECT_NE(state_id(hex_id, "alice"), hex_id);
  EXPECT_NE(state_id(hex_id, "alice"), state_id(hex_id, "clara"));
  EXPECT_NE(state_id("bc", "a"), state_id("c", "ab"));
  EXPECT_NE(state_id("1 a", ""), state_id("", "1 a"));
  EXPECT_EQ(state_id("x", "alice"), state_id("x", "alice"));
}

TEST(AnonymousId, differs_by_route_and_fits_a_file_name) {
  EXPECT_TRUE(base::is_hex32(anonymous_id("*")));
  EXPECT_EQ(anonymous_id("*"), anonymous_id("*"));
  EXPECT_NE(anonymous_id("*"), anonymous_id("qwen"));
}

TEST(AnonymousId, no_client_can_name_it) {
  auto const id = anonymous_id("*");
  // Sent as it is: its form alone would pass.
  EXPECT_NE(state_id(id), id);
  // The text behind the digest, and the id in other spellings.
  EXPECT_NE(state_id("anonymous *"), id);
  EXPECT_NE(state_id("*"), id);
  EXPECT_NE(state_id("", "anonymous *"), id);
  EXPECT_TRUE(base::is_hex32(state_id(id)));
}

TEST(IsolatedId, is_one_of_each_session_and_no_client_can_name_it) {
  auto const id = isolated_id(hex_id);
  EXPECT_TRUE(base::is_hex32(id));
  EXPECT_EQ(isolated_id(hex_id), id);
  EXPECT_NE(isolated_id(anonymous_id("*")), id);
  EXPECT_NE(state_id(id), id);
  EXPECT_NE(state_id("isolated " + std::string(hex_id)), id);
}

TEST(ClientId, one_value_out_of_the_header_fields) {
  struct Row {
    std::vector<std::string_view> values;
    std::optional<std::string> id;
  };
  for (auto const& row : {Row{{}, {}}, Row{{""}, {}}, Row{{" \t"}, {}}, Row{{"", " "}, {}},
                          Row{{"a"}, "a"}, Row{{" a b "}, "a b"}, Row{{"a", "a"}, "a"},
                          Row{{"a", " a\t"}, "a"}, Row{{"", "a"}, "a"}, Row{{"a", ""}, "a"}}) {
    auto const id = client_id(row.values);
    ASSERT_TRUE(id);
    EXPECT_EQ(*id, row.id);
  }
}

TEST(ClientId, different_values_are_the_clients_fault) {
  for (auto const& values :
       {std::vector<std::string_view>{"a", "b"}, {"a", "a", "b"}, {"a", "", "b"}, {"a", "A"}}) {
    auto const id = client_id(values);
    ASSERT_FALSE(id);
    EXPECT_EQ(id.error().code, "session_conflict");
    EXPECT_EQ(id.error().side, base::Side::client);
  }
}

std::string digest(std::string_view model) {
  return '-' + base::sha256_hex(model).substr(0, 8);
}

TEST(ModelTag, is_readable_safe_and_told_apart) {
  EXPECT_EQ(model_tag("qwen3-32b_Q4"), "qwen3-32b_Q4" + digest("qwen3-32b_Q4"));
  EXPECT_EQ(model_tag("abc"), "abc-ba7816bf");
  EXPECT_EQ(model_tag("org/model:Q4.1"), "org_model_Q4_1" + digest("org/model:Q4.1"));
  EXPECT_EQ(model_tag(""), digest(""));
  EXPECT_NE(model_tag("a/b"), model_tag("a:b"));
  EXPECT_EQ(model_tag("../x"), "___x" + digest("../x"));
}

TEST(ModelTag, characters_count_not_bytes) {
  // U+00E4, U+20AC, U+1F600: one underscore each; a byte that is no UTF-8 is one too.
  std::string const mixed = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z";
  EXPECT_EQ(model_tag(mixed), "a___z" + digest(mixed));
  EXPECT_EQ(model_tag("a\xFF\xC3"), "a__" + digest("a\xFF\xC3"));
  // A letter whose low byte looks like an ASCII one.
  EXPECT_EQ(model_tag("\xC5\x81"), "_" + digest("\xC5\x81"));
}

TEST(ModelTag, is_cut_at_forty_characters) {
  auto const tag_of = [](std::string const& model) {
    return model_tag(model).substr(0, model_tag(model).size() - 9);
  };
  EXPECT_EQ(tag_of(std::string(40, 'a')), std::string(40, 'a'));
  EXPECT_EQ(tag_of(std::string(41, 'a')), std::string(40, 'a'));
  std::string accents;
  for (auto i = 0; i < 41; ++i) accents += "\xC3\xA4";
  EXPECT_EQ(tag_of(accents + "zzz"), std::string(40, '_'));
  EXPECT_NE(model_tag(std::string(41, 'a')), model_tag(std::string(42, 'a')));
}

}  // namespace
}  // namespace slotswap::session
