// How requests of a route wait: the keys of the queue, and what a client hears meanwhile.
#include "support.hpp"

#include <gtest/gtest.h>

namespace slotswap::config {
namespace {

using namespace std::chrono_literals;

Loaded load_route(std::string const& keys) {
  return load(servers + "routes:\n- model: a\n  " + keys + "\n" + defaults_line());
}

void expect_same(Route const& again, Route const& route) {
  EXPECT_EQ(again.queue.max_overtake, route.queue.max_overtake);
  EXPECT_EQ(again.queue.linger, route.queue.linger);
  EXPECT_EQ(again.queue.max_waiting, route.queue.max_waiting);
  EXPECT_EQ(again.queue.max_waiting_per_key, route.queue.max_waiting_per_key);
  EXPECT_EQ(again.queue.timeout, route.queue.timeout);
  EXPECT_EQ(again.allow_detached, route.allow_detached);
  EXPECT_EQ(again.heartbeat, route.heartbeat);
  EXPECT_EQ(again.stuck, route.stuck);
  EXPECT_EQ(again.response_headers, route.response_headers);
}

TEST(ConfigWaiting, has_defaults) {
  auto const loaded = load(servers + routes);
  EXPECT_EQ(listed(loaded.warnings), "");
  expect_same(loaded.config.routes.at(0), Route());
}

TEST(ConfigWaiting, reads_every_key_and_prints_it) {
  auto const loaded = load_route(
      "max_overtake_seconds: 2.5\n  linger_seconds: 0.25\n  max_queue: 1000000\n"
      "  max_queue_per_key: 3\n  queue_timeout_seconds: 31536000\n  allow_detached: true\n"
      "  heartbeat_seconds: 15\n  stuck_seconds: 0\n  response_headers: off");
  EXPECT_EQ(listed(loaded.errors), "");
  EXPECT_EQ(listed(loaded.warnings), "");
  auto const& route = loaded.config.routes.at(0);
  EXPECT_EQ(route.queue.max_overtake, 2500ms);
  EXPECT_EQ(route.queue.linger, Duration(250ms));
  EXPECT_EQ(route.queue.max_waiting, 1'000'000U);
  EXPECT_EQ(route.queue.max_waiting_per_key, 3U);
  EXPECT_EQ(route.queue.timeout, 8760h);
  EXPECT_TRUE(route.allow_detached);
  EXPECT_EQ(route.heartbeat, 15s);
  EXPECT_EQ(route.stuck, 0s);
  EXPECT_FALSE(route.response_headers);
  auto const again = load(print(loaded.config));
  EXPECT_EQ(listed(again.errors), "");
  expect_same(again.config.routes.at(0), route);
}

TEST(ConfigWaiting, in_defaults_is_for_every_route_and_own_keys_win) {
  auto const loaded =
      load(servers +
           "defaults: {max_queue: 9, linger_seconds: 4, stuck_seconds: 5, response_headers: off, "
           "allow_detached: on, slots: {state_dir: " +
           state_dir() +
           "}}\nroutes:\n- {model: a}\n- {model: b, max_queue: 0, linger_seconds: auto, "
           "response_headers: true, allow_detached: 'off'}\n- {model: c, linger_seconds: 0}\n");
  EXPECT_EQ(listed(loaded.errors), "");
  auto const& routes = loaded.config.routes;
  EXPECT_EQ(routes.at(0).queue.max_waiting, 9U);
  EXPECT_EQ(routes.at(0).queue.linger, Duration(4s));
  EXPECT_EQ(routes.at(0).stuck, 5s);
  EXPECT_FALSE(routes.at(0).response_headers);
  EXPECT_TRUE(routes.at(0).allow_detached);
  EXPECT_EQ(routes.at(1).queue.max_waiting, 0U);
  EXPECT_FALSE(routes.at(1).queue.linger);
  EXPECT_EQ(routes.at(1).stuck, 5s);
  EXPECT_TRUE(routes.at(1).response_headers);
  EXPECT_FALSE(routes.at(1).allow_detached);
  EXPECT_EQ(routes.at(2).queue.linger, Duration(0s));
  auto const again = load(print(loaded.config));
  EXPECT_EQ(listed(again.errors), "");
  for (std::size_t i = 0; i < routes.size(); ++i) expect_same(again.config.routes.at(i), routes[i]);
}

struct Row {
  std::string keys;
  std::string errors;
};

TEST(ConfigWaiting, has_errors) {
  auto const seconds = [](std::string const& key, std::string const& found) {
    return "`" + key + "`: expected a number of seconds from 0.001 to 31536000, or 0, found " +
           found + "\n";
  };
  std::string const linger =
      "`linger_seconds`: expected auto or a number of seconds from 0.001 to 31536000, or 0, "
      "found ";
  auto const count = [](std::string const& key, std::string const& found) {
    return "`" + key + "`: expected a whole number from 0 to 1000000, found " + found + "\n";
  };
  for (auto const& row : {
           Row{"max_overtake_seconds: auto", "4:25: " + seconds("max_overtake_seconds", "`auto`")},
           Row{"linger_seconds: 2s", "4:19: " + linger + "`2s`\n"},
           Row{"linger_seconds: -1", "4:19: " + linger + "`-1`\n"},
           Row{"linger_seconds: atuo", "4:19: " + linger + "`atuo`; did you mean `auto`?\n"},
           Row{"linger_seconds:", "4:3: " + linger + "nothing\n"},
           Row{"linger_seconds: [auto]", "4:19: " + linger + "a list\n"},
           Row{"max_queue: 1000001", "4:14: " + count("max_queue", "`1000001`")},
           Row{"max_queue_per_key: none", "4:22: " + count("max_queue_per_key", "`none`")},
           Row{"queue_timeout_seconds: 5m", "4:26: " + seconds("queue_timeout_seconds", "`5m`")},
           Row{"heartbeat_seconds: off", "4:22: " + seconds("heartbeat_seconds", "`off`")},
           Row{"stuck_seconds: off", "4:18: " + seconds("stuck_seconds", "`off`")},
           Row{"allow_detached: flase",
               "4:19: `allow_detached`: expected one of true, false, found `flase`; did you mean "
               "`false`?\n"},
           Row{"response_headers: yes",
               "4:21: `response_headers`: expected one of on, off, found `yes`\n"},
           Row{"response_headers: []",
               "4:21: `response_headers`: expected one of on, off, found a list\n"},
           Row{"max_queu: 1",
               "4:3: unknown key `max_queu` in a route; did you mean `max_queue`?\n"},
           Row{"slots: {max_queue: 1}",
               "4:11: unknown key `max_queue` in slots; it belongs into a route\n"},
       }) {
    EXPECT_EQ(listed(load_route(row.keys).errors), row.errors) << row.keys;
  }
}

TEST(ConfigWaiting, warns_of_a_linger_past_the_overtaking) {
  std::string const more =
      "`linger_seconds`: more than `max_overtake_seconds`, and no slot lingers past that\n";
  auto const with_defaults = [](std::string const& keys, std::string const& own) {
    auto const loaded = load(servers + "defaults: {" + keys + "slots: {state_dir: " + state_dir() +
                             "}}\nroutes: [{model: a" + own + "}, {model: b}]\n");
    EXPECT_EQ(listed(loaded.errors), "");
    return listed(loaded.warnings);
  };
  EXPECT_EQ(with_defaults("", ", linger_seconds: 30"), "");
  EXPECT_EQ(with_defaults("", ", linger_seconds: 30.001"), "3:37: " + more);
  EXPECT_EQ(with_defaults("", ", linger_seconds: 1, max_overtake_seconds: 0"), "3:37: " + more);
  EXPECT_EQ(with_defaults("", ", max_overtake_seconds: 0"), "");
  EXPECT_EQ(with_defaults("linger_seconds: 31, ", ""), "2:28: " + more);
  EXPECT_EQ(with_defaults("linger_seconds: 9, ", ", max_overtake_seconds: 8"),
            "3:43: `max_overtake_seconds`: less than `linger_seconds` (line 2), and no slot "
            "lingers past that\n");
  EXPECT_EQ(with_defaults("max_overtake_seconds: 8, ", ", linger_seconds: 9"), "3:37: " + more);
}

TEST(ConfigWaiting, warns_of_keys_that_nothing_waits_by) {
  std::string const unused =
      "`: not used: requests wait for a slot only where a route of their server has `slots`\n";
  std::string const two = "servers: [{name: a, url: 'http://a'}, {name: b, url: 'http://b'}]\n";
  std::string const on = "slots: {save_path: " + state_dir() + "}";
  for (auto const& row : {
           Row{"- {model: m, server: a, max_queue: 3, linger_seconds: 1}\n- {model: n, server: "
               "b, " +
                   on + "}\n",
               "3:36: `max_queue" + unused + "3:55: `linger_seconds" + unused},
           Row{"- {model: m, server: b, max_overtake_seconds: 1, max_queue_per_key: 2, "
               "queue_timeout_seconds: 3}\n- {model: n, server: a, " +
                   on + "}\n",
               "3:47: `max_overtake_seconds" + unused + "3:69: `max_queue_per_key" + unused +
                   "3:95: `queue_timeout_seconds" + unused},
           Row{"- {model: m, servers: [a, b], max_queue: 3}\n- {model: n, server: b, " + on + "}\n",
               ""},
           Row{"- {model: m, server: b, max_queue: 3}\n- {model: n, servers: [a, b], " + on + "}\n",
               ""},
           Row{"- {model: m, server: a, max_queue: 0, linger_seconds: auto, heartbeat_seconds: 3}\n"
               "- {model: n, server: b}\n",
               ""},
           Row{"- {model: m, server: a}\n- {model: n, server: b, " + on +
                   "}\ndefaults: {max_queue: 3}\n",
               ""},
           Row{"- {model: m, server: a}\n- {model: n, server: b, max_queue: 4, " + on +
                   "}\ndefaults: {max_queue: 3}\n",
               "5:23: `max_queue" + unused},
           Row{"- {model: m, server: a}\n- {model: n, server: b}\ndefaults: {max_queue: 3}\n",
               "5:23: `max_queue" + unused},
           Row{"- {model: m, server: a, max_queue: 0}\n- {model: n, server: b, " + on +
                   "}\ndefaults: {max_queue: 3}\n",
               ""},
       }) {
    auto const loaded = load(two + "routes:\n" + row.keys);
    EXPECT_EQ(listed(loaded.errors), "") << row.keys;
    EXPECT_EQ(listed(loaded.warnings), row.errors) << row.keys;
  }
}

}  // namespace
}  // namespace slotswap::config
