// log, limits and the numbers of the top level.
#include "sections.hpp"

namespace slotswap::config {
namespace {

// The section of this key when it is there and a map.
std::optional<Section> section(Section const& top, std::string_view key) {
  auto const* const entry = top.find(key);
  if (entry == nullptr) return std::nullopt;
  if (entry->value->kind != Node::Kind::map) {
    auto const where = entry->value->kind == Node::Kind::null ? entry->place : entry->value->place;
    top.error(where, key, "expected a map, found " + shown(*entry->value));
    return std::nullopt;
  }
  return Section(top.reading(), entry->value, key);
}

void read_log(Section const& log, Log& out) {
  log.choice<std::string>("level", out.level,
                          {{"trace", "trace"},
                           {"debug", "debug"},
                           {"info", "info"},
                           {"warning", "warning"},
                           {"error", "error"}});
  log.choice<LogFormat>("format", out.format,
                        {{"logfmt", LogFormat::logfmt}, {"json", LogFormat::json}});
  log.choice<LogIds>("ids", out.ids, {{"full", LogIds::full}, {"short", LogIds::brief}});
  log.text("file", out.file);
}

// A head stays below 64 KiB: the parser underneath cannot hold a longer field.
void read_limits(Section const& limits, Limits& out) {
  limits.bytes("head_kib", out.head_bytes, kib, {1, 60});
  limits.bytes("body_mib", out.body_bytes, mib, {0.001, 16 * 1024});
  limits.bytes("buffer_mib", out.buffer_bytes, mib, {0.001, 1024 * 1024});
  limits.count("connections", out.connections, 1, 1'000'000);
  limits.seconds("header_read_seconds", out.header_read, some_seconds);
  limits.seconds("body_read_seconds", out.body_read, any_seconds);
  limits.seconds("write_stall_seconds", out.write_stall, any_seconds);
  limits.seconds("keep_alive_seconds", out.keep_alive, any_seconds);
}

}  // namespace

void read_general(Section const& top, Config& config, Places& places) {
  read_listeners(top, config, places);
  if (auto const log = section(top, "log")) read_log(*log, config.log);
  if (auto const limits = section(top, "limits")) {
    read_limits(*limits, config.limits);
    places.buffer =
        limits->has("buffer_mib") ? limits->place_of("buffer_mib") : limits->place_of("body_mib");
  }
  top.bytes("history_mib", config.history_bytes, mib, {0, 1024 * 1024});
  top.bytes("max_gib", config.max_bytes, gib, {0, 1024 * 1024});
  top.seconds("drain_seconds", config.drain, any_seconds);
  places.max_bytes = top.place_of("max_gib");
}

}  // namespace slotswap::config
