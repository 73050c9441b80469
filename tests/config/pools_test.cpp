// Routes to several servers, and servers of which several slots are swapped.
#include "support.hpp"

#include <gtest/gtest.h>

namespace slotswap::config {
namespace {

struct Row {
  std::string keys;
  std::string errors;
};

std::string const three =
    "servers: [{name: main, url: 'http://m'}, {name: b, url: 'http://b'}, {name: c, url: "
    "'http://c'}]\n";

TEST(ConfigServers, of_a_route_may_be_several) {
  auto const loaded = load(three +
                           "defaults: {servers: [c, b]}\nroutes:\n- {model: a}\n- {model: b, "
                           "server: b}\n- {model: c, servers: [main]}\n");
  EXPECT_EQ(listed(loaded.errors), "");
  EXPECT_EQ(listed(loaded.warnings), "");
  auto const& routes = loaded.config.routes;
  EXPECT_EQ(routes.at(0).servers, (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(routes.at(0).server, 2U);
  EXPECT_EQ(routes.at(1).servers, std::vector<std::size_t>{1});
  EXPECT_EQ(routes.at(1).server, 1U);
  EXPECT_EQ(routes.at(2).servers, std::vector<std::size_t>{0});
}

TEST(ConfigServers, of_a_route_have_errors) {
  for (auto const& row : {
           Row{"servers: [main, b]\n  server: c",
               "4:3: `servers`: `server` stands in the same map (line 5); `server` is for one, "
               "`servers` for several\n"},
           Row{"server: [main, b]",
               "4:11: `server`: expected only one, found a list; several stand in `servers`\n"},
           Row{"servers: main",
               "4:12: `servers`: expected a list of servers' names, found `main`; a single one is "
               "a list too: [NAME]\n"},
           Row{"servers: {a: b}",
               "4:12: `servers`: expected a list of servers' names, found a map\n"},
           Row{"servers:", "4:3: `servers`: expected a list of servers' names, found nothing\n"},
           Row{"servers: []", "4:12: `servers`: the list is empty\n"},
           Row{"servers: [b, mian]",
               "4:16: `servers`: no server is named `mian`; did you mean `main`?\n"},
           Row{"servers: [banana, apple]",
               "4:13: `servers`: no server is named `banana`; the servers are: main, b, c\n"
               "4:21: `servers`: no server is named `apple`; the servers are: main, b, c\n"},
           Row{"servers: [b, main, b]", "4:22: `servers`: `b` stands here twice\n"},
           Row{"servers: [b, '']", "4:16: `servers`: must not be empty\n"},
           Row{"servers: [b, [c]]", "4:16: `servers`: expected a name, found a list\n"},
           Row{"servers: [b, '${MISSING}']",
               "4:16: `servers`: the environment variable MISSING is not set; ${MISSING:-default} "
               "gives it a default\n"},
       }) {
    EXPECT_EQ(listed(load(three + "routes:\n- model: a\n  " + row.keys + "\n").errors), row.errors)
        << row.keys;
  }
  EXPECT_EQ(listed(load(three + routes + "defaults: {server: b, servers: [c]}\n").errors),
            "3:23: `servers`: `server` stands in the same map (line 3); `server` is for one, "
            "`servers` for several\n");
  EXPECT_EQ(listed(load(three + routes + "defaults: {servers: [b, d]}\n").errors),
            "3:25: `servers`: no server is named `d`; the servers are: main, b, c\n");
}

TEST(ConfigServers, are_used_by_any_route_that_names_them) {
  EXPECT_EQ(listed(load(three + "routes: [{model: a, servers: [main, c]}]\n").warnings),
            "1:49: no route leads to the server `b`\n");
}

TEST(ConfigServers, of_one_route_share_a_folder_that_is_seen) {
  Folder const folder;
  Folder const other;
  auto const errors = [](std::string const& first, std::string const& second) {
    return listed(load(three + "routes:\n- {model: m, servers: [main, b], slots: {" + first +
                       "}}\n- {model: n, servers: [b, c], slots: {" + second + "}}\n")
                      .errors);
  };
  auto const seen = "save_path: " + folder.path();
  EXPECT_EQ(errors(seen, seen), "");
  EXPECT_EQ(errors(seen, "save_path: " + other.path()),
            "4:38: `slots`: the route `m` (line 3) gives the same server another `save_path`, `" +
                folder.path() + "`; a llama-server has one --slot-save-path\n");
  std::string const needed =
      "`slots`: `save_path` is needed with several `servers`: where it is not seen a server's "
      "folder is its own, and a `state_dir` belongs to one folder\n";
  auto const unseen = "state_dir: " + state_dir();
  EXPECT_EQ(errors(unseen, unseen), "3:41: " + needed + "4:38: " + needed);
}

std::string slots_of(std::string const& keys) {
  return servers + "routes:\n- model: a\n  slots: {" + keys + "}\n" + defaults_line();
}

TEST(ConfigIds, are_one_or_several) {
  auto const ids = [](std::string const& keys) {
    auto const loaded = load(slots_of(keys));
    EXPECT_EQ(listed(loaded.errors), "") << keys;
    auto const& slots = loaded.config.routes.at(0).slots.value();
    EXPECT_EQ(slots.id, slots.ids.front()) << keys;
    return slots.ids;
  };
  EXPECT_EQ(ids(""), std::vector<int>{0});
  EXPECT_EQ(ids("id: 3"), std::vector<int>{3});
  EXPECT_EQ(ids("ids: [9999]"), std::vector<int>{9999});
  EXPECT_EQ(ids("ids: [2, 0, '${NUMBER}']"), (std::vector<int>{2, 0, 7}));
}

std::string up_to(int last) {
  std::string list = "0";
  for (int i = 1; i <= last; ++i) list += "," + std::to_string(i);
  return "ids: [" + list + "]";
}

TEST(ConfigIds, have_errors) {
  EXPECT_EQ(listed(load(slots_of(up_to(63))).errors), "");
  std::string const number = "`ids`: expected a whole number from 0 to 9999, found ";
  for (auto const& row : {
           Row{"id: 0, ids: [0]",
               "4:18: `ids`: `id` stands in the same map (line 4); `id` is for one, `ids` for "
               "several\n"},
           Row{"id: [0, 1]",
               "4:15: `id`: expected only one, found a list; several stand in `ids`\n"},
           Row{"ids: 3",
               "4:16: `ids`: expected a list of slots, found `3`; a single one is a list too: "
               "[0]\n"},
           Row{"ids: ~", "4:11: `ids`: expected a list of slots, found nothing\n"},
           Row{"ids: []", "4:16: `ids`: the list is empty\n"},
           Row{"ids: [0, -1]", "4:20: " + number + "`-1`\n"},
           Row{"ids: [10000]", "4:17: " + number + "`10000`\n"},
           Row{"ids: [0-3]", "4:17: " + number + "`0-3`\n"},
           Row{"ids: [[0]]", "4:17: " + number + "a list\n"},
           Row{"ids: [1, 0, 01]", "4:23: `ids`: the slot 1 stands here twice\n"},
           Row{up_to(64), "4:16: `ids`: expected at most 64 slots, found 65\n"},
           Row{"idz: 1", "4:11: unknown key `idz` in slots; did you mean `id`?\n"},
       }) {
    EXPECT_EQ(listed(load(slots_of(row.keys)).errors), row.errors) << row.keys;
  }
  EXPECT_EQ(listed(load(servers + routes +
                        "  \ndefaults: {slots: {ids: [0, 0], state_dir: " + state_dir() + "}}\n")
                       .errors),
            "4:29: `ids`: the slot 0 stands here twice\n");
}

// Two routes, to `main` and `b` and to what is given; the keys of their slots.
struct Pair {
  std::string servers;
  std::string defaults;
  std::string first;
  std::string second;
  std::string errors;
};

TEST(ConfigIds, belong_to_the_server) {
  Folder const folder;
  std::string const same =
      "; slots belong to the server: all its routes with slots give the same\n";
  for (auto const& row : {
           Pair{"b", "", "{ids: [0, 1]}", "{ids: [1, 0]}", ""},
           Pair{"b", "", "{ids: [1]}", "{id: 1}", ""},
           Pair{"c", "", "{ids: [0, 1]}", "{id: 1}", ""},
           Pair{"b", "", "{ids: [0, 1]}", "off", ""},
           Pair{"b", ", ids: [0, 1]", "{}", "{}", ""},
           Pair{"b", ", ids: [0, 1]", "{}", "{id: 0}",
                "5:40: `slots`: 0 of the server `b` here, but 0, 1 (line 4) in the route `m`" +
                    same},
           Pair{"b", ", id: 5", "{ids: [0, 1]}", "{}",
                "5:35: `slots`: 5 of the server `b` here, but 0, 1 (line 4) in the route `m`" +
                    same},
           Pair{"c, main", "", "{}", "{ids: [3, 0]}",
                "5:47: `slots`: 0, 3 of the server `main` here, but 0 (line 4) in the route `m`" +
                    same},
           Pair{"b", "", "{ids: [0, 1]}", "{}",
                "5:35: `slots`: 0 of the server `b` here, but 0, 1 (line 4) in the route `m`" +
                    same},
           Pair{"b", "", "{ids: [0, x]}", "{ids: [7]}",
                "4:51: `ids`: expected a whole number from 0 to 9999, found `x`\n"},
           Pair{"d", "", "{ids: [0, 1]}", "{ids: [7]}",
                "5:24: `servers`: no server is named `d`; the servers are: main, b, c\n"},
       }) {
    auto const text = three + "defaults: {slots: {save_path: " + folder.path() + row.defaults +
                      "}}\nroutes:\n- {model: m, servers: [main, b], slots: " + row.first +
                      "}\n- {model: n, servers: [" + row.servers + "], slots: " + row.second +
                      "}\n";
    EXPECT_EQ(listed(load(text).errors), row.errors) << text;
  }
}

}  // namespace
}  // namespace slotswap::config
