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

TEST(WithSlot, replaces_the_slot_or_names_it_first) {
  struct Row {
    char const* body;
    char const* changed;
  };
  for (auto const& row :
       {Row{R"({"a":0.70,"id_slot": -1 ,"b":1e0})", R"({"a":0.70,"id_slot": 2 ,"b":1e0})"},
        Row{R"({"id_slot":0,"id_slot":"x"})", R"({"id_slot":2,"id_slot":2})"},
        Row{R"({"id_\u0073lot":null,"x":{"id_slot":0}})",
            R"({"id_\u0073lot":2,"x":{"id_slot":0}})"},
        Row{R"({"messages":[]})", R"({"id_slot":2,"messages":[]})"},
        Row{" \r\n{ \"a\" : 1 }\n", " \r\n{\"id_slot\":2, \"a\" : 1 }\n"},
        Row{"{}", R"({"id_slot":2})"}, Row{" { \t} ", " {\"id_slot\":2 \t} "},
        Row{"\xEF\xBB\xBF{}", "\xEF\xBB\xBF{\"id_slot\":2}"}}) {
    EXPECT_EQ(with_slot(row.body, 2), row.changed) << row.body;
    EXPECT_EQ(read("/", with_slot(row.body, 2)).id_slot, 2) << row.body;
  }
}

}  // namespace
}  // namespace slotswap::prompt
