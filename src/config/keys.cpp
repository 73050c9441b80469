#include "keys.hpp"

#include "suggest.hpp"

#include <algorithm>
#include <vector>

namespace slotswap::config {
namespace {

struct Keys {
  std::string_view title;
  std::string_view home;  // in messages: where such a key belongs
  Words keys;
};

Words with(char const* first, Words words) {
  words.insert(words.begin(), first);
  return words;
}

std::vector<Keys> const& all_keys() {
  static Words const of_routes{"server",
                               "servers",
                               "upstream_model",
                               "fingerprint",
                               "max_overtake_seconds",
                               "linger_seconds",
                               "max_queue",
                               "max_queue_per_key",
                               "queue_timeout_seconds",
                               "allow_detached",
                               "heartbeat_seconds",
                               "stuck_seconds",
                               "response_headers",
                               "side_requests",
                               "slots"};
  static std::vector<Keys> const all{
      {"the configuration",
       "the top level",
       {"listen", "admin", "servers", "routes", "defaults", "log", "limits", "history_mib",
        "max_gib", "drain_seconds"}},
      {"listen", "`listen`", {"address", "tls"}},
      {"admin", "`admin`", {"address", "tls"}},
      {"tls", "`tls`", {"cert", "key", "client_ca"}},
      {"a server",
       "a server",
       {"name", "url", "api_key", "ca_file", "server_name", "client_cert", "client_key", "verify",
        "connect_seconds", "first_byte_seconds", "idle_stream_seconds", "models_max",
        "load_timeout_seconds"}},
      {"a route", "a route", with("model", of_routes)},
      {"defaults", "`defaults`", of_routes},
      {"slots",
       "`slots`",
       {"id", "ids", "save_path", "state_dir", "verify", "publish", "unload", "min_free_gib",
        "on_miss", "no_session", "max_files", "max_gib", "max_age", "pin", "max_write_gib_per_day",
        "save_idle_seconds", "busy_wait_seconds", "slot_call_timeout_seconds"}},
      {"a side request", "`side_requests`", {"match", "do"}},
      {"match", "`match`", {"header", "path", "max_tokens", "prompt_tokens"}},
      {"log", "`log`", {"level", "format", "ids", "file"}},
      {"limits",
       "`limits`",
       {"head_kib", "body_mib", "buffer_mib", "connections", "header_read_seconds",
        "body_read_seconds", "write_stall_seconds", "keep_alive_seconds"}},
  };
  return all;
}

bool contains(Words const& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Words const& keys_of(std::string_view title) {
  auto const& all = all_keys();
  return std::find_if(all.begin(), all.end(),
                      [title](Keys const& keys) { return keys.title == title; })
      ->keys;
}

}  // namespace

bool may_have(std::string_view title, std::string_view key) {
  // A place for anchors, as in compose files.
  auto const top = title == all_keys().front().title;
  return contains(keys_of(title), key) || (top && key.starts_with("x-"));
}

// A key that is at home elsewhere is a slip of the indentation, not of the fingers.
std::string unknown_key_hint(std::string_view title, std::string_view key) {
  auto const& known = keys_of(title);
  if (nearest(key, known)) return hint(key, known, "");
  for (auto const& section : all_keys()) {
    if (contains(section.keys, key)) return "; it belongs into " + std::string(section.home);
  }
  return hint(key, known, "known keys");
}

}  // namespace slotswap::config
