// Requests that are none of their session's story: what tells them, and what is done with them.
#include "support.hpp"

#include <gtest/gtest.h>

namespace slotswap::config {
namespace {

std::string with_rules(std::string const& rules) {
  return servers + "routes:\n- model: a\n  side_requests:" + rules + "\n" + defaults_line();
}

TEST(ConfigSideRequests, are_none_by_default) {
  EXPECT_TRUE(load(servers + routes).config.routes.at(0).side_requests.empty());
  EXPECT_EQ(listed(load(with_rules(" []")).errors), "");
}

void expect_same(SideRule const& again, SideRule const& rule) {
  EXPECT_EQ(again.header, rule.header);
  EXPECT_EQ(again.value, rule.value);
  EXPECT_EQ(again.path, rule.path);
  EXPECT_EQ(again.max_tokens, rule.max_tokens);
  EXPECT_EQ(again.prompt_tokens, rule.prompt_tokens);
  EXPECT_EQ(again.work, rule.work);
}

TEST(ConfigSideRequests, are_read_and_printed_with_every_key) {
  auto const loaded =
      load(with_rules("\n"
                      "  - match: {header: {X-Task: 'title*'}, path: '/v1/chat/*', max_tokens: 64, "
                      "prompt_tokens: 1000000000}\n"
                      "    do: isolate\n"
                      "  - {match: {max_tokens: 1}, do: no_save}\n"
                      "  - {match: {path: '*'}, do: elsewhere}\n"
                      "  - {match: {header: {\"#!$%&'*+-.^_`|~09azAZ\": 'a \"$$\" \\, }'}}, do: "
                      "normal}\n"
                      "  - {match: {header: {\"~\": '${NUMBER}'}}, do: normal}"));
  EXPECT_EQ(listed(loaded.errors), "");
  auto const& rules = loaded.config.routes.at(0).side_requests;
  ASSERT_EQ(rules.size(), 5U);
  EXPECT_EQ(rules[0].header, "X-Task");
  EXPECT_EQ(rules[0].value, "title*");
  EXPECT_EQ(rules[0].path, "/v1/chat/*");
  EXPECT_EQ(rules[0].max_tokens, 64U);
  EXPECT_EQ(rules[0].prompt_tokens, 1'000'000'000U);
  EXPECT_EQ(rules[0].work, SideWork::isolate);
  EXPECT_EQ(rules[1].header, "");
  EXPECT_FALSE(rules[1].prompt_tokens);
  EXPECT_EQ(rules[1].work, SideWork::no_save);
  EXPECT_EQ(rules[2].work, SideWork::elsewhere);
  EXPECT_EQ(rules[3].header, "#!$%&'*+-.^_`|~09azAZ");
  EXPECT_EQ(rules[3].value, "a \"$\" \\, }");
  EXPECT_EQ(rules[4].value, "7");
  auto const text = print(loaded.config);
  EXPECT_NE(text.find("    side_requests:\n      - match: {header: {\"X-Task\": \"title*\"}, path: "
                      "\"/v1/chat/*\", max_tokens: 64, prompt_tokens: 1000000000}\n        do: "
                      "isolate\n      - match: {max_tokens: 1}\n        do: no_save\n"),
            std::string::npos)
      << text;
  auto const again = load(text);
  EXPECT_EQ(listed(again.errors), "");
  EXPECT_EQ(print(again.config), text);
  ASSERT_EQ(again.config.routes.at(0).side_requests.size(), rules.size());
  for (std::size_t i = 0; i < rules.size(); ++i) {
    expect_same(again.config.routes.at(0).side_requests[i], rules[i]);
  }
}

TEST(ConfigSideRequests, of_a_route_take_the_place_of_those_in_defaults) {
  auto const loaded = load(
      servers +
      "defaults: {side_requests: [{match: {max_tokens: 9}, do: isolate}], slots: {state_dir: " +
      state_dir() +
      "}}\nroutes:\n- {model: a}\n- {model: b, side_requests: [{match: {path: /x}, do: "
      "normal}]}\n- {model: c, side_requests: []}\n");
  EXPECT_EQ(listed(loaded.errors), "");
  EXPECT_EQ(listed(loaded.warnings), "");
  auto const& routes = loaded.config.routes;
  ASSERT_EQ(routes.at(0).side_requests.size(), 1U);
  EXPECT_EQ(routes.at(0).side_requests[0].max_tokens, 9U);
  ASSERT_EQ(routes.at(1).side_requests.size(), 1U);
  EXPECT_EQ(routes.at(1).side_requests[0].path, "/x");
  EXPECT_TRUE(routes.at(2).side_requests.empty());
}

struct Row {
  std::string text;
  std::string problems;
};

TEST(ConfigSideRequests, have_errors) {
  std::string const some =
      "`match`: expected a map with at least one of header, path, max_tokens, prompt_tokens, "
      "found ";
  std::string const one =
      "`header`: expected a map of one header's name and a glob, {NAME: GLOB}, found ";
  auto const rule = [](std::string const& keys) { return "\n  - {" + keys + "}"; };
  auto const match = [&rule](std::string const& keys) {
    return rule("do: isolate, match: {" + keys + "}");
  };
  for (auto const& row : {
           Row{" off", "4:18: `side_requests`: expected a list of maps, found `off`\n"},
           Row{"", "4:3: `side_requests`: expected a list of maps, found nothing\n"},
           Row{" [isolate]", "4:19: `side_requests`: expected a map, found `isolate`\n"},
           Row{rule(""),
               "5:5: `do` is missing in a side request\n5:5: `match` is missing in a side "
               "request\n"},
           Row{rule("match: {max_tokens: 1}"), "5:5: `do` is missing in a side request\n"},
           Row{rule("do: isolate, match: {}"), "5:26: " + some + "an empty one\n"},
           Row{rule("do: isolate, match: /v1"), "5:26: " + some + "`/v1`\n"},
           Row{rule("do: isolate, match: ~"), "5:19: " + some + "nothing\n"},
           Row{rule("do: isolate, match: [a]"), "5:26: " + some + "a list\n"},
           Row{rule("do: isolat, match: {max_tokens: 1}"),
               "5:10: `do`: expected one of normal, isolate, elsewhere, no_save, found `isolat`; "
               "did you mean `isolate`?\n"},
           Row{rule("do: isolate, mach: {max_tokens: 1}"),
               "5:5: `match` is missing in a side request\n5:19: unknown key `mach` in a side "
               "request; did you mean `match`?\n"},
           Row{rule("do: isolate, max_tokens: 1, match: {path: /x}"),
               "5:19: unknown key `max_tokens` in a side request; it belongs into `match`\n"},
           Row{match("max_token: 1"),
               "5:27: unknown key `max_token` in match; did you mean `max_tokens`?\n"},
           Row{match("max_tokens: 0"),
               "5:39: `max_tokens`: expected a whole number from 1 to 1000000000, found `0`\n"},
           Row{match("prompt_tokens: 1.5"),
               "5:42: `prompt_tokens`: expected a whole number from 1 to 1000000000, found "
               "`1.5`\n"},
           Row{match("path: ''"), "5:33: `path`: must not be empty\n"},
           Row{match("path: v1/chat"), "5:33: `path`: a path begins with /, found `v1/chat`\n"},
           Row{match("header: X-Task"), "5:35: " + one + "`X-Task`\n"},
           Row{match("header: ~"), "5:27: " + one + "nothing\n"},
           Row{match("header: {}"), "5:35: " + one + "an empty map\n"},
           Row{match("header: {X-A: b, X-C: d}"), "5:35: " + one + "2 of them\n"},
           Row{match("header: {X Task: a}"), "5:36: `header`: `X Task` is no name of a header\n"},
           Row{match("header: {'': a}"), "5:36: `header`: an empty text is no name of a header\n"},
           Row{match("header: {" + std::string(257, 'x') + ": a}"),
               "5:36: `header`: `" + std::string(60, 'x') + "...` is no name of a header\n"},
           Row{match("header: {X-Task: ''}"),
               "5:44: `header`: must not be empty; `*` is any value\n"},
           Row{match("header: {X-Task: [a]}"), "5:44: `header`: expected a glob, found a list\n"},
           Row{match("header: {X-Task: ~}"), "5:36: `header`: expected a glob, found nothing\n"},
       }) {
    EXPECT_EQ(listed(load(with_rules(row.text)).errors), row.problems) << row.text;
  }
  EXPECT_EQ(listed(load(servers + routes + "defaults: {side_requests: [{do: normal}]}\n").errors),
            "3:28: `match` is missing in a side request\n");
}

TEST(ConfigSideRequests, are_warned_of_where_they_do_nothing) {
  std::string const two = "servers: [{name: a, url: 'http://a'}, {name: b, url: 'http://b'}]\n";
  std::string const on = "slots: {save_path: " + state_dir() + "}";
  std::string const pool = "slots: {ids: [0, 1], save_path: " + state_dir() + "}";
  std::string const rules = "side_requests: [{match: {max_tokens: 1}, do: elsewhere}]";
  std::string const unused =
      "`side_requests`: not used: side requests are told apart only where a route of their server "
      "has `slots`\n";
  std::string const alone =
      "`do`: there is one slot in all, so `elsewhere` does what `isolate` does\n";
  for (auto const& row : {
           Row{"- {model: m, server: a, " + rules + "}\n- {model: n, server: b, " + on + "}\n",
               "3:40: " + unused},
           Row{"- {model: m, server: a, " + rules + ", " + on + "}\n- {model: n, server: b}\n",
               "3:70: " + alone},
           Row{"- {model: m, server: a, " + rules + "}\n- {model: n, servers: [a, b], " + on +
                   "}\n",
               "3:70: " + alone},
           Row{"- {model: m, server: a, " + rules + ", " + pool + "}\n- {model: n, server: b}\n",
               ""},
           Row{"- {model: m, servers: [a, b], " + rules + ", " + on + "}\n", ""},
           Row{"- {model: m, server: a, side_requests: []}\n- {model: n, server: b}\n", ""},
           Row{"- {model: m, server: a, " + on + "}\n- {model: n, server: b}\ndefaults: {" + rules +
                   "}\n",
               "5:57: " + alone},
           Row{"- {model: m, server: a, " + on + "}\n- {model: n, server: b, " + pool +
                   "}\ndefaults: {" + rules + "}\n",
               ""},
           Row{"- {model: m, server: a}\n- {model: n, server: b}\ndefaults: {" + rules + "}\n",
               "5:27: " + unused},
       }) {
    auto const loaded = load(two + "routes:\n" + row.text);
    EXPECT_EQ(listed(loaded.errors), "") << row.text;
    EXPECT_EQ(listed(loaded.warnings), row.problems) << row.text;
  }
}

}  // namespace
}  // namespace slotswap::config
