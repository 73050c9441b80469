#include "support.hpp"
#include "support/certificates.hpp"

#include <gtest/gtest.h>

namespace slotswap::config {
namespace {

using namespace std::chrono_literals;

Config good(std::string const& text) {
  auto loaded = load(text);
  EXPECT_EQ(listed(loaded.errors), "") << text;
  return std::move(loaded.config);
}

TEST(Config, has_defaults_that_are_safe) {
  auto const config = good(servers + routes);
  EXPECT_EQ(config.listen.host, "127.0.0.1");
  EXPECT_EQ(config.listen.port, 9940);
  EXPECT_FALSE(config.admin);
  ASSERT_EQ(config.servers.size(), 1U);
  EXPECT_EQ(config.servers[0].name, "main");
  EXPECT_EQ(config.servers[0].url.text, "http://127.0.0.1:9931");
  EXPECT_EQ(config.servers[0].api_key, "");
  EXPECT_EQ(config.servers[0].connect, 5s);
  EXPECT_EQ(config.servers[0].first_byte, 0s);
  EXPECT_EQ(config.servers[0].models_max, 0);
  EXPECT_EQ(config.servers[0].load_timeout, 600s);
  ASSERT_EQ(config.routes.size(), 1U);
  EXPECT_EQ(config.routes[0].model, "*");
  EXPECT_FALSE(config.routes[0].slots);
  EXPECT_EQ(config.limits.head_bytes, 16U * 1024);
  EXPECT_EQ(config.limits.body_bytes, 64U * 1024 * 1024);
  EXPECT_EQ(config.drain, 30s);
}

TEST(Config, reads_every_key) {
  Folder const folder;
  test::Authority const authority;
  auto const ca = authority.file();
  auto const config = good(
      "listen: '[::1]:1'\nadmin: localhost:2\nservers:\n- {name: m, url: 'https://h/v1', api_key: "
      "k, "
      "ca_file: " +
      ca +
      ", connect_seconds: 1.5, first_byte_seconds: 2, idle_stream_seconds: 3, models_max: 4, "
      "load_timeout_seconds: 5.5}\n"
      "routes:\n- {model: a, server: m, upstream_model: b, fingerprint: q8, slots: {id: 4, "
      "save_path: " +
      folder.path() + "/, state_dir: " + state_dir() +
      "//, verify: checksum, publish: replace, unload: never, min_free_gib: 0.25, max_age: 30d, "
      "pin: [alice, 'b "
      "c'], max_write_gib_per_day: 100, "
      "on_miss: erase, no_session: unsaved, max_files: 5, max_gib: 0.5, save_idle_seconds: 6, "
      "busy_wait_seconds: 0, slot_call_timeout_seconds: 8}}\n"
      "log: {level: debug, format: json, ids: short, file: /l}\n"
      "limits: {head_kib: 8, body_mib: 2, buffer_mib: 3, connections: 9, header_read_seconds: 10, "
      "body_read_seconds: 13, write_stall_seconds: 14, keep_alive_seconds: 11}\nhistory_mib: "
      "0\nmax_gib: 12\ndrain_seconds: 0.25\n");
  EXPECT_EQ(config.listen.host, "::1");
  EXPECT_EQ(config.admin.value().port, 2);
  auto const& server = config.servers.at(0);
  EXPECT_TRUE(server.url.tls);
  EXPECT_EQ(server.api_key, "k");
  EXPECT_EQ(server.files.ca, ca);
  EXPECT_EQ(server.connect, 1500ms);
  EXPECT_EQ(server.first_byte, 2s);
  EXPECT_EQ(server.idle_stream, 3s);
  EXPECT_EQ(server.models_max, 4);
  EXPECT_EQ(server.load_timeout, 5500ms);
  auto const& route = config.routes.at(0);
  EXPECT_EQ(route.upstream_model, "b");
  auto const& slots = route.slots.value();
  EXPECT_EQ(slots.id, 4);
  EXPECT_EQ(slots.save_path, folder.path());
  EXPECT_EQ(slots.state_dir, state_dir());
  EXPECT_EQ(slots.verify, Verify::checksum);
  EXPECT_EQ(slots.publish, Publish::replace);
  EXPECT_EQ(slots.unload, Unload::never);
  EXPECT_EQ(slots.fingerprint, "q8");
  EXPECT_EQ(slots.min_free_bytes, 256U * 1024 * 1024);
  EXPECT_EQ(slots.max_age, 720h);
  EXPECT_EQ(slots.pin, (std::vector<std::string>{"alice", "b c"}));
  EXPECT_EQ(slots.max_write_bytes, 100ULL << 30U);
  EXPECT_EQ(slots.on_miss, OnMiss::erase);
  EXPECT_EQ(slots.no_session, NoSession::unsaved);
  EXPECT_EQ(slots.max_files, 5U);
  EXPECT_EQ(slots.max_bytes, 512U * 1024 * 1024);
  EXPECT_EQ(slots.save_idle, 6s);
  EXPECT_EQ(slots.busy_wait, 0s);
  EXPECT_EQ(slots.slot_call_timeout, 8s);
  EXPECT_EQ(config.log.level, "debug");
  EXPECT_EQ(config.log.format, LogFormat::json);
  EXPECT_EQ(config.log.ids, LogIds::brief);
  EXPECT_EQ(config.log.file, "/l");
  EXPECT_EQ(config.limits.head_bytes, 8U * 1024);
  EXPECT_EQ(config.limits.connections, 9U);
  EXPECT_EQ(config.limits.header_read, 10s);
  EXPECT_EQ(config.limits.body_read, 13s);
  EXPECT_EQ(config.limits.write_stall, 14s);
  EXPECT_EQ(config.limits.keep_alive, 11s);
  EXPECT_EQ(config.history_bytes, 0U);
  EXPECT_EQ(config.max_bytes, 12ULL << 30U);
  EXPECT_EQ(config.drain, 250ms);
}

TEST(Config, defaults_reach_every_route_and_own_keys_win) {
  Folder const folder;
  auto const config = good(
      "servers: [{name: a, url: 'http://a'}, {name: b, url: 'http://b'}]\n"
      "defaults: {server: b, upstream_model: m, fingerprint: f, slots: {on_miss: erase, "
      "save_idle_seconds: 9, pin: [a, b], save_path: " +
      folder.path() +
      "}}\n"
      "routes:\n"
      "- {model: plain}\n"
      "- {model: own, server: a, upstream_model: '', fingerprint: '', slots: {on_miss: keep, pin: "
      "[c]}}\n"
      "- {model: off, slots: off}\n"
      "- {model: 'false', slots: false}\n"
      "- {model: empty, slots: {}}\n");
  ASSERT_EQ(config.routes.size(), 5U);
  EXPECT_EQ(config.routes[0].server, 1U);
  EXPECT_EQ(config.routes[0].upstream_model, "m");
  EXPECT_EQ(config.routes[0].slots.value().on_miss, OnMiss::erase);
  EXPECT_EQ(config.routes[1].server, 0U);
  EXPECT_EQ(config.routes[1].upstream_model, "");
  EXPECT_EQ(config.routes[1].slots.value().on_miss, OnMiss::keep);
  EXPECT_EQ(config.routes[1].slots.value().save_idle, 9s);
  EXPECT_EQ(config.routes[0].slots.value().fingerprint, "f");
  EXPECT_EQ(config.routes[1].slots.value().fingerprint, "");
  EXPECT_EQ(config.routes[0].slots.value().pin, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(config.routes[1].slots.value().pin, std::vector<std::string>{"c"});
  EXPECT_FALSE(config.routes[2].slots);
  EXPECT_FALSE(config.routes[3].slots);
  EXPECT_EQ(config.routes[4].slots.value().save_idle, 9s);
}

TEST(Config, slots_are_on_with_a_map) {
  auto const config =
      good(servers + "routes: [{model: a, slots: {state_dir: " + state_dir() + "}}, {model: b}]\n");
  EXPECT_TRUE(config.routes[0].slots);
  EXPECT_FALSE(config.routes[1].slots);
}

TEST(Config, values_take_variables_once_and_as_text) {
  struct Row {
    std::string written;
    std::string read;
  };
  for (auto const& row : {
           Row{"a${KEY}b", "ask-secretb"},
           Row{"'${KEY}'", "sk-secret"},
           Row{"${EMPTY}", ""},
           Row{"${EMPTY:-x}", "x"},
           Row{"${MISSING:-x}", "x"},
           Row{"${MISSING:-}", ""},
           Row{"${MISSING:-a:-b}", "a:-b"},
           Row{"${KEY:-x}${NUMBER}", "sk-secret7"},
           Row{"a$$b$${KEY}", "a$b${KEY}"},
           Row{"${YAML}", "[a, {b: c}] # $X ${KEY}"},
       }) {
    auto const config =
        good(servers + "routes:\n- model: a\n  upstream_model: " + row.written + "\n");
    EXPECT_EQ(config.routes.at(0).upstream_model, row.read) << row.written;
  }
  EXPECT_EQ(
      good(servers + "routes: [{model: a, slots: {max_files: '${NUMBER}'}}]\n" + defaults_line())
          .routes.at(0)
          .slots.value()
          .max_files,
      7U);
}

TEST(Config, keys_take_no_variables) {
  EXPECT_EQ(listed(load(servers + routes + "${KEY}: 1\n").errors).substr(0, 24),
            "3:1: unknown key `${KEY}");
}

TEST(Config, aliases_and_merges_are_followed) {
  auto const config = good(
      "x-a: &a {on_miss: erase, max_files: 1, busy_wait_seconds: 1}\n"
      "x-b: &b {max_files: 2, save_idle_seconds: 2, busy_wait_seconds: 2}\n" +
      servers +
      "routes:\n"
      "- {model: alias, slots: *a}\n"
      "- {model: one, slots: {max_files: 9, <<: *a}}\n"
      "- {model: list, slots: {<<: [*a, *b], busy_wait_seconds: 0}}\n"
      "- &r {model: whole, slots: {<<: {<<: *b, busy_wait_seconds: 5}}}\n"
      "- {<<: *r, model: again}\n"
      "- {model: quoted, slots: {\"busy_wait_seconds\": 3}}\n" +
      defaults_line());
  auto const slots = [&config](std::size_t i) { return config.routes.at(i).slots.value(); };
  EXPECT_EQ(slots(0).on_miss, OnMiss::erase);
  EXPECT_EQ(slots(1).max_files, 9U);
  EXPECT_EQ(slots(1).on_miss, OnMiss::erase);
  EXPECT_EQ(slots(2).max_files, 1U);
  EXPECT_EQ(slots(2).save_idle, 2s);
  EXPECT_EQ(slots(2).busy_wait, 0s);
  EXPECT_EQ(slots(3).busy_wait, 5s);
  EXPECT_EQ(slots(3).max_files, 2U);
  EXPECT_EQ(config.routes.at(4).model, "again");
  EXPECT_EQ(slots(4).busy_wait, 5s);
  EXPECT_EQ(slots(5).busy_wait, 3s);
}

TEST(Config, no_key_is_written_in_three_ways) {
  for (auto const* value : {"none", "''", "'${EMPTY}'"}) {
    EXPECT_EQ(good("servers: [{name: a, url: 'http://h', api_key: " + std::string(value) + "}]\n" +
                   routes)
                  .servers.at(0)
                  .api_key,
              "");
  }
}

TEST(Config, windows_line_ends_and_a_byte_order_mark_do_no_harm) {
  EXPECT_EQ(good("\xEF\xBB\xBFlisten: h:1\r\n" + servers + routes).listen.host, "h");
  EXPECT_EQ(listed(load("\xEF\xBB\xBFlisen: h:1\r\n" + servers + routes).errors),
            "1:1: unknown key `lisen` in the configuration; did you mean `listen`?\n");
}

void expect_same_states(Slots const& again, Slots const& slots) {
  EXPECT_EQ(again.state_dir, slots.state_dir);
  EXPECT_EQ(again.verify, slots.verify);
  EXPECT_EQ(again.publish, slots.publish);
  EXPECT_EQ(again.unload, slots.unload);
  EXPECT_EQ(again.fingerprint, slots.fingerprint);
  EXPECT_EQ(again.min_free_bytes, slots.min_free_bytes);
  EXPECT_EQ(again.max_age, slots.max_age);
  EXPECT_EQ(again.pin, slots.pin);
  EXPECT_EQ(again.max_write_bytes, slots.max_write_bytes);
}

TEST(ConfigPrint, loads_again_to_the_same_but_for_secrets) {
  Folder const folder;
  auto const ca = folder.file("ca \"$\\.pem", slurp(test::Authority().file()));
  auto const config = good(
      "listen: '[::1]:0'\nadmin: h:3\n"
      "servers: [{name: 'a \"b\" $$ \\ \xC3\xA4', url: 'https://[::1]/p', api_key: '${KEY}', "
      "connect_seconds: 0.3, ca_file: '" +
      folder.path() +
      "/ca \"$$\\.pem'}, "
      "{name: b, url: 'http://h', api_key: none, idle_stream_seconds: 31536000, "
      "models_max: 9999, load_timeout_seconds: 0}]\n"
      "defaults: {server: b}\n"
      "routes:\n- {model: 'x*', fingerprint: 'q8 \"$$\", 2', slots: {id: 2, max_gib: 0.1, "
      "save_path: " +
      folder.path() +
      ", no_session: pass, on_miss: erase, save_idle_seconds: 0.001, verify: checksum, publish: "
      "replace, unload: never, min_free_gib: 0.3, max_age: 1.5d, pin: ['a, \"$$b\"', 'c#]'], "
      "max_write_gib_per_day: 0.7, state_dir: " +
      state_dir() +
      "}}\n"
      "- {model: '*', upstream_model: 'null', server: 'a \"b\" $$ \\ \xC3\xA4'}\n"
      "log: {level: error, format: json, ids: short, file: 'off'}\n"
      "limits: {head_kib: 1.5, body_mib: 3.3, buffer_mib: 1000000, connections: 1000000}\n"
      "history_mib: 0.7\nmax_gib: 123456\ndrain_seconds: 1234.567\n");
  auto const text = print(config);
  EXPECT_EQ(text.find("sk-secret"), std::string::npos);
  EXPECT_NE(text.find("api_key: \"***\""), std::string::npos);
  auto const again = good(text);
  EXPECT_EQ(print(again), text);
  EXPECT_EQ(again.servers.at(0).name, config.servers[0].name);
  EXPECT_EQ(again.servers.at(0).files.ca, ca);
  EXPECT_EQ(again.servers.at(0).connect, config.servers[0].connect);
  EXPECT_EQ(again.servers.at(1).api_key, "");
  EXPECT_EQ(again.servers.at(1).models_max, 9999);
  EXPECT_EQ(again.servers.at(1).load_timeout, 0s);
  EXPECT_EQ(again.routes.at(0).slots.value().max_bytes, config.routes[0].slots.value().max_bytes);
  expect_same_states(again.routes.at(0).slots.value(), config.routes[0].slots.value());
  EXPECT_EQ(again.routes.at(1).upstream_model, "null");
  EXPECT_EQ(again.log.ids, LogIds::brief);
  EXPECT_EQ(again.limits.body_bytes, config.limits.body_bytes);
  EXPECT_EQ(again.history_bytes, config.history_bytes);
  EXPECT_EQ(again.drain, config.drain);
}

TEST(ConfigPrint, writes_lists_only_where_there_are_several) {
  Folder const folder;
  auto const config = good(
      "servers: [{name: a, url: 'http://a'}, {name: b, url: 'http://b'}]\n"
      "defaults: {slots: {ids: [4, 0, 2], save_path: " +
      folder.path() +
      "}}\n"
      "routes: [{model: x, servers: [b, a]}, {model: y, servers: [a], slots: {ids: [2, 4, 0]}},\n"
      "{model: z, server: b, slots: off}]\n");
  EXPECT_EQ(config.routes.at(0).server, 1U);
  EXPECT_EQ(config.routes.at(0).slots.value().id, 4);
  auto const text = print(config);
  EXPECT_NE(text.find("    servers: [\"b\", \"a\"]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("    server: \"a\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find("      ids: [4, 0, 2]\n"), std::string::npos) << text;
  auto const again = good(text);
  EXPECT_EQ(print(again), text);
  for (std::size_t i = 0; i < config.routes.size(); ++i) {
    EXPECT_EQ(again.routes.at(i).servers, config.routes[i].servers);
    EXPECT_EQ(again.routes.at(i).server, config.routes[i].server);
    if (config.routes[i].slots) {
      EXPECT_EQ(again.routes.at(i).slots.value().ids, config.routes[i].slots->ids);
    }
  }
}

TEST(ConfigPrint, writes_every_key) {
  EXPECT_EQ(print(good(servers + "routes: [{model: a, slots: {}}, {model: b, slots: off}]\n" +
                       defaults_line())),
            R"(listen:
  address: "127.0.0.1:9940"
  tls: off
admin: off
servers:
  - name: "main"
    url: "http://127.0.0.1:9931"
    api_key: none
    ca_file: ""
    server_name: ""
    client_cert: ""
    client_key: ""
    verify: true
    connect_seconds: 5
    first_byte_seconds: 0
    idle_stream_seconds: 0
    models_max: 0
    load_timeout_seconds: 600
routes:
  - model: "a"
    server: "main"
    upstream_model: ""
    fingerprint: ""
    max_overtake_seconds: 30
    linger_seconds: auto
    max_queue: 0
    max_queue_per_key: 0
    queue_timeout_seconds: 0
    allow_detached: false
    heartbeat_seconds: 0
    stuck_seconds: 60
    response_headers: on
    side_requests: []
    slots:
      id: 0
      save_path: ""
      state_dir: ")" +
                state_dir() + R"("
      verify: stat
      publish: beside
      unload: explicit
      min_free_gib: 2
      on_miss: keep
      no_session: shared
      max_files: 0
      max_gib: 0
      max_age: 0
      pin: []
      max_write_gib_per_day: 0
      save_idle_seconds: 0
      busy_wait_seconds: 3600
      slot_call_timeout_seconds: 300
  - model: "b"
    server: "main"
    upstream_model: ""
    fingerprint: ""
    max_overtake_seconds: 30
    linger_seconds: auto
    max_queue: 0
    max_queue_per_key: 0
    queue_timeout_seconds: 0
    allow_detached: false
    heartbeat_seconds: 0
    stuck_seconds: 60
    response_headers: on
    side_requests: []
    slots: off
log:
  level: info
  format: logfmt
  ids: full
  file: ""
limits:
  head_kib: 16
  body_mib: 64
  buffer_mib: 512
  connections: 1024
  header_read_seconds: 30
  body_read_seconds: 600
  write_stall_seconds: 60
  keep_alive_seconds: 75
history_mib: 64
max_gib: 0
drain_seconds: 30
)");
}

}  // namespace
}  // namespace slotswap::config
