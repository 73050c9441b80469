// Every kind of error with its place and its words.
#include "support.hpp"

#include <gtest/gtest.h>

namespace slotswap::config {
namespace {

struct Row {
  std::string text;
  std::string errors;
};

void expect_errors(std::vector<Row> const& rows) {
  for (auto const& row : rows) {
    EXPECT_EQ(listed(load(row.text).errors), row.errors) << row.text;
  }
}

std::string with_server(std::string const& keys) {
  return "servers:\n  - name: main\n    url: http://h\n    " + keys + "\n" + routes;
}
std::string with_slots(std::string const& keys) {
  return servers + "routes:\n- model: a\n  slots: {" + keys + "}\n" + defaults_line();
}
std::string with_top(std::string const& line) {
  return servers + routes + line + "\n";
}

TEST(ConfigErrors, of_the_text_come_alone) {
  auto const nothing =
      "1:1: there is nothing in it; a configuration needs `servers` and `routes`\n";
  expect_errors({
      {"", nothing},
      {"# only words\n", nothing},
      {"---\n", nothing},
      {"~", nothing},
      {"hello", "1:1: expected a map of keys such as `servers` and `routes`, found `hello`\n"},
      {"- a", "1:1: expected a map of keys such as `servers` and `routes`, found a list\n"},
      {"wrong: 1\nlisten: [a\n", "3:1: syntax: end of sequence flow not found\n"},
      {"a: 1\n b: 2\n", "2:3: syntax: illegal map value\n"},
      {"a: *b\n", "1:4: syntax: the referenced anchor is not defined\n"},
      {"a: {b: ${C}}\n",
       "1:9: syntax: end of map flow not found; inside {} and [] a value with ${...} needs "
       "quotes\n"},
      {"a: \"\\z\"\n", "1:7: syntax: unknown escape character: z\n"},
      {servers + routes + "---\nlisten: a\n",
       "3:1: a second document starts here; a configuration is one document\n"},
      {"a: \xC3\xA4 \xFF\n", "1:6: this is not UTF-8\n"},
      {std::string("a: 1\nb: \0", 9), "2:4: a control character\n"},
      {"a: 1\n\x04", "2:1: a control character\n"},
      {std::string(1024 * 1024 + 1, '#'), "0:0: larger than 1 MiB; that is no configuration\n"},
      {"a: &x [1, *x]\n", "1:11: the anchor `x` holds itself\n"},
      {"a: &x\n  b: &y\n    <<: *x\n", "3:9: the anchor `x` holds itself\n"},
  });
}

TEST(ConfigErrors, of_aliases_that_explode_come_quickly) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    auto const before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int k = 0; k < 9; ++k) text += ", " + before;
    text += "]\n";
  }
  EXPECT_EQ(listed(load(text).errors), "5:5: more than 100000 values with aliases written out\n");
  EXPECT_EQ(listed(load(std::string(900'000, '[')).errors),
            "1:1: lists and maps stand too deep in each other\n");
}

TEST(ConfigErrors, of_keys) {
  expect_errors({
      {with_top("lisen: a:1"),
       "3:1: unknown key `lisen` in the configuration; did you mean `listen`?\n"},
      {with_top("banana: 1"),
       "3:1: unknown key `banana` in the configuration; known keys: listen, admin, servers, "
       "routes, defaults, log, "
       "limits, history_mib, max_gib, drain_seconds\n"},
      {with_top("max_files: 1"),
       "3:1: unknown key `max_files` in the configuration; it belongs into `slots`\n"},
      {with_slots("max_file: 1"),
       "4:11: unknown key `max_file` in slots; did you mean `max_files`?\n"},
      {with_server("apikey: x"),
       "4:5: unknown key `apikey` in a server; did you mean `api_key`?\n"},
      {servers + "routes:\n- model: a\n  save_path: /\n",
       "4:3: unknown key `save_path` in a route; it belongs into `slots`\n"},
      {with_top("log: {levle: info}"), "3:7: unknown key `levle` in log; did you mean `level`?\n"},
      {with_top("limits: {body: 1}"),
       "3:10: unknown key `body` in limits; known keys: head_kib, body_mib, buffer_mib, "
       "connections, "
       "header_read_seconds, body_read_seconds, write_stall_seconds, keep_alive_seconds\n"},
      {with_top("defaults: {slot: off}"),
       "3:12: unknown key `slot` in defaults; did you mean `slots`?\n"},
      {with_top("listen: a:1\nlisten: b:1"),
       "4:1: the key `listen` stands here twice; first on line 3\n"},
      {with_top("? [a]\n: 1"), "3:3: a key must be a word\n"},
      {with_top("~: 1"), "3:1: a key must be a word\n"},
      {with_top("log: {<<: 1}"), "3:7: `<<` takes a map or a list of maps\n"},
      {with_top("log: {<<: [{}, 1]}"), "3:7: `<<` takes a map or a list of maps\n"},
      {with_top("listen: !vault a:1"), "3:9: the tag `!vault` means nothing here\n"},
  });
}

TEST(ConfigErrors, of_types) {
  expect_errors({
      {with_top("listen: [a]"),
       "3:9: `listen`: expected HOST:PORT, unix:/path or a map with `address`, found a list\n"},
      {with_top("listen:"),
       "3:1: `listen`: expected HOST:PORT, unix:/path or a map with `address`, found nothing\n"},
      {with_top("log: debug"), "3:6: `log`: expected a map, found `debug`\n"},
      {with_top("limits:"), "3:1: `limits`: expected a map, found nothing\n"},
      {with_top("defaults: []"), "3:11: `defaults`: expected a map, found a list\n"},
      {"servers: main\n" + routes, "1:10: `servers`: expected a list of maps, found `main`\n"},
      {"servers:\n" + routes, "1:1: `servers`: expected a list of maps, found nothing\n"},
      {"servers: [a]\n" + routes, "1:11: `servers`: expected a map, found `a`\n"},
      {servers + "routes: {model: a}\n", "2:9: `routes`: expected a list of maps, found a map\n"},
      {with_slots("max_files: [1]"),
       "4:22: `max_files`: expected a whole number from 0 to 1000000, found a list\n"},
      {servers + "routes:\n- model: a\n  slots:\n",
       "4:3: `slots`: expected a map with `save_path` or `state_dir`, or off, found nothing\n"},
      {servers + "routes:\n- model: a\n  slots: on\n",
       "4:10: `slots`: expected a map with `save_path` or `state_dir`, or off, found `on`\n"},
      {with_server("api_key: {a: b}"), "4:14: `api_key`: expected a text, found a map\n"},
  });
}

TEST(ConfigErrors, of_numbers_and_words) {
  auto const seconds = [](std::string const& found) {
    return "`connect_seconds`: expected a number of seconds from 0.001 to 31536000, found " +
           found + "\n";
  };
  auto const gib = [](std::string const& found) {
    return "`max_gib`: expected a number from 0 to 1048576, found " + found + "\n";
  };
  auto const id = [](std::string const& found) {
    return "4:15: `id`: expected a whole number from 0 to 9999, found " + found + "\n";
  };
  expect_errors({
      {with_server("connect_seconds: 5s"), "4:22: " + seconds("`5s`")},
      {with_server("connect_seconds: 0"), "4:22: " + seconds("`0`")},
      {with_server("connect_seconds: -1"), "4:22: " + seconds("`-1`")},
      {with_server("connect_seconds: nan"), "4:22: " + seconds("`nan`")},
      {with_server("connect_seconds: .inf"), "4:22: " + seconds("`.inf`")},
      {with_server("connect_seconds: inf"), "4:22: " + seconds("`inf`")},
      {with_server("connect_seconds: 1e99"), "4:22: " + seconds("`1e99`")},
      {with_server("connect_seconds: 1e9999"), "4:22: " + seconds("`1e9999`")},
      {with_server("connect_seconds: ''"), "4:22: " + seconds("an empty text")},
      {with_server("first_byte_seconds: 0.0001"),
       "4:25: `first_byte_seconds`: expected a number of seconds from 0.001 to 31536000, or 0, "
       "found `0.0001`\n"},
      {with_server("models_max: -1"),
       "4:17: `models_max`: expected a whole number from 0 to 9999, found `-1`\n"},
      {with_server("load_timeout_seconds: 10m"),
       "4:27: `load_timeout_seconds`: expected a number of seconds from 0.001 to 31536000, or 0, "
       "found `10m`\n"},
      {with_top("max_gib: -1"), "3:10: " + gib("`-1`")},
      {with_top("max_gib: 1,5"), "3:10: " + gib("`1,5`")},
      {with_top("max_gib: 0x10"), "3:10: " + gib("`0x10`")},
      {with_slots("id: -1"), id("`-1`")},
      {with_slots("id: 1.5"), id("`1.5`")},
      {with_slots("id: 99999999999999999999999"), id("`99999999999999999999999`")},
      {with_slots("id: " + std::string(100, '9')), id("`" + std::string(60, '9') + "...`")},
      {with_top("limits: {head_kib: 64}"),
       "3:20: `head_kib`: expected a number from 1 to 60, found `64`\n"},
      {with_top("limits: {connections: 0}"),
       "3:23: `connections`: expected a whole number from 1 to 1000000, found `0`\n"},
      {with_slots("on_miss: erse"),
       "4:20: `on_miss`: expected one of keep, erase, found `erse`; did you mean `erase`?\n"},
      {with_slots("no_session: maybe"),
       "4:23: `no_session`: expected one of shared, unsaved, pass, found `maybe`\n"},
      {with_top("log: {level: warn}"),
       "3:14: `level`: expected one of trace, debug, info, warning, error, found `warn`\n"},
      {with_top("log: {format: xml}"),
       "3:15: `format`: expected one of logfmt, json, found `xml`\n"},
      {with_top("log: {ids: none}"), "3:12: `ids`: expected one of full, short, found `none`\n"},
  });
}

TEST(ConfigErrors, of_the_environment) {
  auto const key = [](std::string const& value) { return with_server("ca_file: " + value); };
  expect_errors({
      {key("${MISSING}"),
       "4:14: `ca_file`: the environment variable MISSING is not set; ${MISSING:-default} gives it "
       "a default\n"},
      {key("a${KEY"), "4:14: `ca_file`: `${` without `}`\n"},
      {key("${}"), "4:14: `ca_file`: `${}` names no variable; write ${NAME} or ${NAME:-default}\n"},
      {key("${A-b}"),
       "4:14: `ca_file`: `${A-b}` names no variable; write ${NAME} or ${NAME:-default}\n"},
      {key("${1A}"),
       "4:14: `ca_file`: `${1A}` names no variable; write ${NAME} or ${NAME:-default}\n"},
      {key("$HOME/x"),
       "4:14: `ca_file`: a single `$`; write ${NAME} for a variable, $$ for a dollar sign\n"},
      {key("x$"),
       "4:14: `ca_file`: a single `$`; write ${NAME} for a variable, $$ for a dollar sign\n"},
      {key("${A:-${B}}"), "4:14: `ca_file`: a default cannot hold another variable: `${A:-${B}`\n"},
      {key("${LINES}"), "4:14: `ca_file`: the value holds a control character or a line break\n"},
      {key("${BYTES}"), "4:14: `ca_file`: the value is not UTF-8\n"},
      {key("\"a\\u0007\""),
       "4:14: `ca_file`: the value holds a control character or a line break\n"},
  });
}

TEST(ConfigErrors, of_servers) {
  expect_errors({
      {routes, "1:1: `servers` is missing: a list of servers with `name` and `url`\n"},
      {"servers: []\n" + routes, "1:10: `servers`: the list is empty\n"},
      {"servers: [{}]\n" + routes,
       "1:11: `name` is missing in a server\n1:11: `url` is missing in a server\n"},
      {"servers: [{name: '', url: 'http://h'}]\n" + routes, "1:18: `name`: must not be empty\n"},
      {"servers: [{name: a, url: 'h:80'}]\n" + routes,
       "1:26: `url`: not a server's URL `h:80`: it must start with http://, https:// or unix:/\n"},
      {"servers: [{name: a, url: 'http://u:pass@h'}]\n" + routes,
       "1:26: `url`: not a server's URL: no user and password in a URL; use `api_key`\n"},
      {"servers:\n- {name: a, url: 'http://h/v1'}\n- {name: b, url: 'http://H:80'}\nroutes: "
       "[{model: x, server: a}]\n",
       "3:18: `url`: the server `a` (line 2) has this URL already; one server is written once, "
       "routes share it\n"},
      {"servers:\n- {name: a, url: 'http://h'}\n- {name: a, url: 'http://i'}\nroutes: [{model: x, "
       "server: a}]\n",
       "3:10: `name`: another server is named `a` (line 2)\n"},
      {with_server("api_key: 'se cret'"), "4:14: `api_key`: a key is ASCII without blanks\n"},
  });
}

TEST(ConfigErrors, of_routes) {
  std::string const two =
      "servers: [{name: main, url: 'http://h'}, {name: other, url: 'http://i'}]\n";
  expect_errors({
      {servers,
       "1:1: `routes` is missing: a list of routes with `model` (\"*\" for every model)\n"},
      {servers + "routes: []\n", "2:9: `routes`: the list is empty\n"},
      {servers + "routes: [{}]\n", "2:10: `model` is missing in a route\n"},
      {servers + "routes: [{model: ''}]\n", "2:18: `model`: must not be empty\n"},
      {servers + "routes: [{model: a, server: mian}]\n",
       "2:29: `server`: no server is named `mian`; did you mean `main`?\n"},
      {servers + "routes: [{model: a, server: banana}]\n",
       "2:29: `server`: no server is named `banana`; the servers are: main\n"},
      {two + routes,
       "2:10: `server` is missing in a route: with several servers each route names its own; the "
       "servers are: main, "
       "other\n"},
      {two + routes + "defaults: {server: othr}\n",
       "3:20: `server`: no server is named `othr`; did you mean `other`?\n"},
      {servers + "routes:\n- model: a\n- model: a\n",
       "4:10: `model`: there is a route for `a` already (line 3)\n"},
      {servers + "routes:\n- model: '*'\n- model: a\n",
       "4:10: `model`: no request reaches this route: `*` (line 3) takes all of them; the first "
       "match wins, so put it "
       "last\n"},
      {servers + "routes:\n- model: 'qwen*'\n- model: 'qwen3-?b'\n- model: '*'\n",
       "4:10: `model`: no request reaches this route: `qwen*` (line 3) takes all of them; the "
       "first match wins, so put "
       "it last\n"},
  });
}

TEST(ConfigErrors, of_the_top_level) {
  expect_errors({
      {with_top("listen: 9940"),
       "3:9: `listen`: expected HOST:PORT or unix:/path, found `9940`: the host is missing: "
       "127.0.0.1:9940\n"},
      {with_top("listen: a:70000"),
       "3:9: `listen`: expected HOST:PORT or unix:/path, found `a:70000`: `70000` is no port (0 to "
       "65535)\n"},
      {with_top("admin: 127.0.0.1:9940"), "3:8: `admin`: the same address as `listen`\n"},
      {with_top("limits: {buffer_mib: 8}"),
       "3:22: `buffer_mib`: smaller than `body_mib`, so the largest body would never be taken\n"},
      {with_top("limits: {body_mib: 600}"),
       "3:20: `buffer_mib`: smaller than `body_mib`, so the largest body would never be taken\n"},
  });
}

TEST(ConfigErrors, are_reported_together_in_the_order_of_the_file) {
  EXPECT_EQ(
      listed(load("listen: x\n"
                  "servers:\n"
                  "- {nmae: main, url: 'ftp://h'}\n"
                  "routes:\n"
                  "- {model: '*', server: main, slots: {max_files: -3, max_gib: many}}\n"
                  "\xC3\xA4: {}\n"
                  "drain_seconds: soon\n" +
                  defaults_line())
                 .errors),
      "1:9: `listen`: expected HOST:PORT or unix:/path, found `x`: the port is missing\n"
      "3:3: `name` is missing in a server\n"
      "3:4: unknown key `nmae` in a server; did you mean `name`?\n"
      "3:21: `url`: not a server's URL `ftp://h`: it must start with http://, https:// or unix:/\n"
      "5:49: `max_files`: expected a whole number from 0 to 1000000, found `-3`\n"
      "5:62: `max_gib`: expected a number from 0 to 1048576, found `many`\n"
      "6:1: unknown key `\xC3\xA4` in the configuration; known keys: listen, admin, servers, "
      "routes, defaults, "
      "log, limits, history_mib, max_gib, drain_seconds\n"
      "7:16: `drain_seconds`: expected a number of seconds from 0.001 to 31536000, or 0, "
      "found `soon`\n");
}

TEST(ConfigErrors, in_an_aliased_value_are_reported_once) {
  EXPECT_EQ(
      listed(load("x-common: &common {max_files: many}\n" + servers +
                  "routes:\n- {model: a, slots: *common}\n- {model: b, slots: {<<: *common}}\n" +
                  defaults_line())
                 .errors),
      "1:31: `max_files`: expected a whole number from 0 to 1000000, found `many`\n");
}

TEST(ConfigErrors, never_show_a_key) {
  EXPECT_EQ(listed(load(with_server("api_key: 'sk- ${KEY}'")).errors).find("sk-"),
            std::string::npos);
}

TEST(ConfigErrors, are_written_as_editors_read_them) {
  EXPECT_EQ(to_string({"a.yaml", 3, 7, "wrong"}), "a.yaml:3:7: error: wrong");
  EXPECT_EQ(to_string({"a.yaml", 3, 7, "odd"}, "warning"), "a.yaml:3:7: warning: odd");
  EXPECT_EQ(to_string({"a.yaml", 0, 0, "cannot be read"}), "a.yaml: error: cannot be read");
}

TEST(ConfigWarnings, say_what_has_no_effect) {
  struct WarningRow {
    std::string text;
    std::string warnings;
  };
  for (auto const& row : {
           WarningRow{
               with_slots("max_files: 3"),
               "4:10: `slots`: nothing is looked at or deleted without `save_path`, so these "
               "do nothing: max_files\n"},
           WarningRow{
               with_top("max_gib: 3"),
               "3:10: `max_gib`: nothing is deleted: no route has slots with a `save_path`\n"},
           WarningRow{with_server("ca_file: /etc/passwd"),
                      "4:14: `ca_file` is not used: the server's URL is no https\n"},
           WarningRow{"servers: [{name: a, url: 'http://h'}, {name: b, url: 'http://i'}]\nroutes: "
                      "[{model: x, server: a}]\n",
                      "1:46: no route leads to the server `b`\n"},
           WarningRow{servers + routes, ""},
       }) {
    auto const loaded = load(row.text);
    EXPECT_EQ(listed(loaded.errors), "") << row.text;
    EXPECT_EQ(listed(loaded.warnings), row.warnings) << row.text;
  }
}

}  // namespace
}  // namespace slotswap::config
