// The effective configuration as YAML that loads again, every key written out.
#include "sections.hpp"

#include <slotswap/base/text.hpp>

#include <array>
#include <charconv>

namespace slotswap::config {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (auto const c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '$') out += '$';
    out += c;
  }
  return out + '"';
}

// The shortest decimals that give the same number again.
std::string number(double value) {
  std::array<char, 400> text{};
  auto const end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
  return {text.data(), end};
}

std::string in_units(std::uint64_t bytes, std::uint64_t unit) {
  return number(static_cast<double>(bytes) / static_cast<double>(unit));
}

std::string in_seconds(Duration duration) {
  return number(base::to_ms(duration) / 1000);
}

// In the largest unit of which it is a whole number.
std::string span(Duration duration) {
  using namespace std::chrono;
  if (duration == Duration{}) return "0";
  if (duration % days(1) == Duration{}) return std::to_string(duration / days(1)) + "d";
  if (duration % hours(1) == Duration{}) return std::to_string(duration / hours(1)) + "h";
  if (duration % minutes(1) == Duration{}) return std::to_string(duration / minutes(1)) + "m";
  return in_seconds(duration) + "s";
}

std::string list(std::vector<std::string> const& texts) {
  std::string out;
  for (auto const& text : texts) out += (out.empty() ? "" : ", ") + quoted(text);
  return "[" + out + "]";
}

std::string numbers(std::vector<int> const& values) {
  std::string out;
  for (auto const value : values) out += (out.empty() ? "" : ", ") + std::to_string(value);
  return "[" + out + "]";
}

std::vector<std::string> names_of(Config const& config, std::vector<std::size_t> const& servers) {
  std::vector<std::string> names;
  for (auto const server : servers) names.push_back(config.servers.at(server).name);
  return names;
}

std::string conditions(SideRule const& rule) {
  std::string out;
  auto const add = [&out](std::string_view key, std::string const& value) {
    ((out += out.empty() ? "" : ", ") += key) += ": " + value;
  };
  // In a key a dollar sign is nothing special.
  if (!rule.header.empty()) add("header", "{\"" + rule.header + "\": " + quoted(rule.value) + "}");
  if (!rule.path.empty()) add("path", quoted(rule.path));
  if (rule.max_tokens) add("max_tokens", std::to_string(*rule.max_tokens));
  if (rule.prompt_tokens) add("prompt_tokens", std::to_string(*rule.prompt_tokens));
  return out;
}

class Printer {
 public:
  void key(std::string_view indent, std::string_view name, std::string_view value) {
    text_ += indent;
    text_ += name;
    text_ += ": ";
    text_ += value;
    text_ += '\n';
  }
  void head(std::string_view line) { (text_ += line) += '\n'; }

  void listener(std::string_view name, ListenAddress const& address) {
    head(std::string(name) + ":");
    key("  ", "address", quoted(to_string(address)));
    if (!address.tls) return key("  ", "tls", "off");
    head("  tls:");
    key("    ", "cert", quoted(address.tls->cert));
    key("    ", "key", quoted(address.tls->key));
    key("    ", "client_ca", quoted(address.tls->client_ca));
  }

  void server(Server const& server) {
    key("  - ", "name", quoted(server.name));
    key("    ", "url", quoted(server.url.text));
    key("    ", "api_key", server.api_key.empty() ? "none" : "\"***\"");
    key("    ", "ca_file", quoted(server.files.ca));
    key("    ", "server_name", quoted(server.server_name));
    key("    ", "client_cert", quoted(server.files.cert));
    key("    ", "client_key", quoted(server.files.key));
    key("    ", "verify", server.files.verify ? "true" : "false");
    key("    ", "connect_seconds", in_seconds(server.connect));
    key("    ", "first_byte_seconds", in_seconds(server.first_byte));
    key("    ", "idle_stream_seconds", in_seconds(server.idle_stream));
    key("    ", "models_max", std::to_string(server.models_max));
    key("    ", "load_timeout_seconds", in_seconds(server.load_timeout));
  }

  void slots(Slots const& slots) {
    static constexpr std::array no_session{"shared", "unsaved", "pass"};
    constexpr std::string_view in = "      ";
    head("    slots:");
    if (slots.ids.size() == 1) {
      key(in, "id", std::to_string(slots.id));
    } else {
      key(in, "ids", numbers(slots.ids));
    }
    key(in, "save_path", quoted(slots.save_path));
    key(in, "state_dir", quoted(slots.state_dir));
    key(in, "verify", slots.verify == Verify::stat ? "stat" : "checksum");
    key(in, "publish", slots.publish == Publish::beside ? "beside" : "replace");
    key(in, "unload", slots.unload == Unload::explicitly ? "explicit" : "never");
    key(in, "min_free_gib", in_units(slots.min_free_bytes, gib));
    key(in, "on_miss", slots.on_miss == OnMiss::keep ? "keep" : "erase");
    key(in, "no_session", no_session.at(static_cast<std::size_t>(slots.no_session)));
    key(in, "max_files", std::to_string(slots.max_files));
    key(in, "max_gib", in_units(slots.max_bytes, gib));
    key(in, "max_age", span(slots.max_age));
    key(in, "pin", list(slots.pin));
    key(in, "max_write_gib_per_day", in_units(slots.max_write_bytes, gib));
    key(in, "save_idle_seconds", in_seconds(slots.save_idle));
    key(in, "busy_wait_seconds", in_seconds(slots.busy_wait));
    key(in, "slot_call_timeout_seconds", in_seconds(slots.slot_call_timeout));
  }

  void side_requests(std::vector<SideRule> const& rules) {
    static constexpr std::array work{"normal", "isolate", "elsewhere", "no_save"};
    if (rules.empty()) key("    ", "side_requests", "[]");
    if (!rules.empty()) head("    side_requests:");
    for (auto const& rule : rules) {
      key("      - ", "match", "{" + conditions(rule) + "}");
      key("        ", "do", work.at(static_cast<std::size_t>(rule.work)));
    }
  }

  void waiting(Route const& route) {
    constexpr std::string_view in = "    ";
    auto const& queue = route.queue;
    key(in, "max_overtake_seconds", in_seconds(queue.max_overtake));
    key(in, "linger_seconds", queue.linger ? in_seconds(*queue.linger) : "auto");
    key(in, "max_queue", std::to_string(queue.max_waiting));
    key(in, "max_queue_per_key", std::to_string(queue.max_waiting_per_key));
    key(in, "queue_timeout_seconds", in_seconds(queue.timeout));
    key(in, "allow_detached", route.allow_detached ? "true" : "false");
    key(in, "heartbeat_seconds", in_seconds(route.heartbeat));
    key(in, "stuck_seconds", in_seconds(route.stuck));
    key(in, "response_headers", route.response_headers ? "on" : "off");
  }

  void route(Route const& route, std::vector<std::string> const& servers) {
    key("  - ", "model", quoted(route.model));
    if (servers.size() == 1) {
      key("    ", "server", quoted(servers.front()));
    } else {
      key("    ", "servers", list(servers));
    }
    key("    ", "upstream_model", quoted(route.upstream_model));
    key("    ", "fingerprint", quoted(route.slots ? route.slots->fingerprint : ""));
    waiting(route);
    side_requests(route.side_requests);
    if (route.slots) {
      slots(*route.slots);
    } else {
      key("    ", "slots", "off");
    }
  }

  void limits(Limits const& limits) {
    head("limits:");
    key("  ", "head_kib", in_units(limits.head_bytes, kib));
    key("  ", "body_mib", in_units(limits.body_bytes, mib));
    key("  ", "buffer_mib", in_units(limits.buffer_bytes, mib));
    key("  ", "connections", std::to_string(limits.connections));
    key("  ", "header_read_seconds", in_seconds(limits.header_read));
    key("  ", "body_read_seconds", in_seconds(limits.body_read));
    key("  ", "write_stall_seconds", in_seconds(limits.write_stall));
    key("  ", "keep_alive_seconds", in_seconds(limits.keep_alive));
  }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

std::string print(Config const& config) {
  Printer out;
  out.listener("listen", config.listen);
  if (config.admin) {
    out.listener("admin", *config.admin);
  } else {
    out.key("", "admin", "off");
  }
  out.head("servers:");
  for (auto const& server : config.servers) out.server(server);
  out.head("routes:");
  for (auto const& route : config.routes) out.route(route, names_of(config, route.servers));
  out.head("log:");
  out.key("  ", "level", config.log.level);
  out.key("  ", "format", config.log.format == LogFormat::json ? "json" : "logfmt");
  out.key("  ", "ids", config.log.ids == LogIds::full ? "full" : "short");
  out.key("  ", "file", quoted(config.log.file));
  out.limits(config.limits);
  out.key("", "history_mib", in_units(config.history_bytes, mib));
  out.key("", "max_gib", in_units(config.max_bytes, gib));
  out.key("", "drain_seconds", in_seconds(config.drain));
  return out.take();
}

}  // namespace slotswap::config
