#include <slotswap/report/receipt.hpp>
#include <slotswap/telemetry/log.hpp>

namespace slotswap::report {

namespace {

using telemetry::Level;
using telemetry::Line;

void add(Line& line, std::string_view key, std::string const& value) {
  if (!value.empty()) line.field(key, value);
}

template <class Value>
void add(Line& line, std::string_view key, std::optional<Value> const& value) {
  if (value) line.field(key, *value);
}

std::string percent(std::int64_t part, std::int64_t whole) {
  return std::to_string(whole > 0 ? part * 100 / whole : 0) + " %";
}

}  // namespace

std::string say(Receipt const& receipt) {
  if (receipt.status == 499) return "the client left before the answer began";
  if (receipt.cut) return "the answer was cut: " + receipt.detail;
  if (!receipt.code.empty()) return receipt.detail;
  if (!receipt.reused || !receipt.read) return {};
  auto const all = *receipt.reused + *receipt.read;
  return "the server reused " + std::to_string(*receipt.reused) + " of " + std::to_string(all) +
         " prompt tokens (" + percent(*receipt.reused, all) + ")";
}

void log(Receipt const& receipt) {
  Line line(Level::info, "request");
  line.field("id", receipt.id).field("method", receipt.method).field("path", receipt.path);
  add(line, "route", receipt.route);
  add(line, "server", receipt.server);
  add(line, "session", receipt.session);
  line.field("status", receipt.status);
  add(line, "code", receipt.code);
  add(line, "policy", receipt.policy);
  add(line, "swapped", receipt.swapped);
  add(line, "slot", receipt.slot);
  add(line, "note", receipt.note);
  add(line, "waited_ms", receipt.waited_ms);
  add(line, "swap_ms", receipt.swap_ms);
  if (receipt.heartbeats > 0) line.field("heartbeats", receipt.heartbeats);
  add(line, "first_byte_ms", receipt.first_byte_ms);
  line.field("total_ms", receipt.total_ms);
  add(line, "reused", receipt.reused);
  add(line, "read", receipt.read);
  line.field("bytes_in", receipt.bytes_in)
      .field("bytes_out", receipt.bytes_out)
      .field("peer", receipt.peer);
  if (receipt.cut) line.field("cut", true);
  auto const words = say(receipt);
  if (!words.empty()) line.say(words);
}

}  // namespace slotswap::report
