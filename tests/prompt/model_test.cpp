#include <slotswap/prompt/prompt.hpp>

#include <gtest/gtest.h>

namespace slotswap::prompt {
namespace {

TEST(WithModel, replaces_the_name_and_nothing_else) {
  struct Row {
    char const* body;
    char const* changed;
  };
  for (auto const& row :
       {Row{R"({ "temperature":0.70, "model" : "a" ,"n":1e0})",
            R"({ "temperature":0.70, "model" : "new" ,"n":1e0})"},
        Row{R"({"model":"a","x":{"model":"a"},"model":null})",
            R"({"model":"new","x":{"model":"a"},"model":"new"})"},
        Row{R"({"mod\u0065l":"a"})", R"({"mod\u0065l":"new"})"},
        Row{"{\"messages\":[]}", "{\"model\":\"new\",\"messages\":[]}"},
        Row{" \n{ \"a\":1}", " \n{\"model\":\"new\", \"a\":1}"}, Row{"{}", "{\"model\":\"new\"}"},
        Row{"{ \t}", "{\"model\":\"new\" \t}"},
        Row{"\xEF\xBB\xBF{\"model\":\"a\"}", "\xEF\xBB\xBF{\"model\":\"new\"}"},
        Row{R"({"x":"\"model\":\"a\""})", R"({"model":"new","x":"\"model\":\"a\""})"}}) {
    EXPECT_EQ(with_model(row.body, "new"), row.changed) << row.body;
    EXPECT_EQ(read("/", with_model(row.body, "new")).model, "new") << row.body;
  }
}

TEST(WithModel, the_name_is_quoted) {
  for (std::string const& name : {std::string("org/model:Q4"), std::string("a\"b\\c\n"),
                                  std::string("\xC3\xA4"), std::string()}) {
    EXPECT_EQ(read("/", with_model(R"({"model":"x","a":1})", name)).model, name);
    EXPECT_EQ(read("/", with_model("{}", name)).model, name);
  }
}

}  // namespace
}  // namespace slotswap::prompt
