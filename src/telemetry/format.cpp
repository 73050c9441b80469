#include <slotswap/base/utf8.hpp>
#include <slotswap/telemetry/format.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace slotswap::telemetry {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::size_t id_digits = 32;
constexpr std::size_t brief_digits = 8;

void append_hex_byte(std::string& out, unsigned value) {
  out += "\\x";
  out += hex_digits[(value >> 4U) & 0xFU];
  out += hex_digits[value & 0xFU];
}

// C1 controls, line separators and direction marks: harmless to a parser, not to a terminal.
bool unfit_to_show(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029 ||
         (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

void append_unicode_escape(std::string& out, char32_t c) {
  out += "\\u";
  for (unsigned shift = 16; shift > 0; shift -= 4) {
    out += hex_digits[(static_cast<unsigned>(c) >> (shift - 4)) & 0xFU];
  }
}

bool append_common_escape(std::string& out, char32_t c) {
  switch (c) {
    case U'"':
      out += "\\\"";
      return true;
    case U'\\':
      out += "\\\\";
      return true;
    case U'\n':
      out += "\\n";
      return true;
    case U'\r':
      out += "\\r";
      return true;
    case U'\t':
      out += "\\t";
      return true;
    default:
      return false;
  }
}

bool needs_quotes(std::string_view value) {
  if (value.empty()) return true;
  while (!value.empty()) {
    auto const c = base::first_code_point(value);
    if (c.size == 0 || unfit_to_show(c.value)) return true;
    if (c.value == U' ' || c.value == U'"' || c.value == U'=' || c.value == U'\\') return true;
    value.remove_prefix(c.size);
  }
  return false;
}

template <class BadByte, class Unfit>
void append_escaped(std::string& out, std::string_view value, BadByte bad_byte, Unfit unfit) {
  out += '"';
  while (!value.empty()) {
    auto const c = base::first_code_point(value);
    if (c.size == 0) {
      bad_byte(static_cast<unsigned char>(value.front()));
      value.remove_prefix(1);
      continue;
    }
    if (!append_common_escape(out, c.value)) {
      if (unfit_to_show(c.value)) {
        unfit(c.value);
      } else {
        out += value.substr(0, c.size);
      }
    }
    value.remove_prefix(c.size);
  }
  out += '"';
}

}  // namespace

std::string timestamp(std::chrono::system_clock::time_point when) {
  using namespace std::chrono;
  auto const ms = floor<milliseconds>(when);
  auto const day = floor<days>(ms);
  year_month_day const date(day);
  hh_mm_ss const time(ms - day);
  std::array<char, 64> text{};
  auto const size = std::snprintf(
      text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
      static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
      static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
      static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
      static_cast<int>(time.subseconds().count()));
  return {text.data(), static_cast<std::size_t>(size)};
}

std::string cut(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  auto end = bytes;
  // At most three steps: text that is no UTF-8 is cut where it is.
  for (int i = 0; i < 3 && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U; ++i)
    --end;
  return std::string(text.substr(0, end)) + "\xE2\x80\xA6";
}

std::string brief_ids(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    auto const run = std::min(text.find_first_not_of(hex_digits), text.size());
    out += text.substr(0, run == id_digits ? brief_digits : run);
    text.remove_prefix(run);
    auto const rest = std::min(text.find_first_of(hex_digits), text.size());
    out += text.substr(0, rest);
    text.remove_prefix(rest);
  }
  return out;
}

void append_logfmt(std::string& out, std::string_view value) {
  if (!needs_quotes(value)) {
    out += value;
    return;
  }
  append_escaped(
      out, value, [&out](unsigned byte) { append_hex_byte(out, byte); },
      [&out](char32_t c) {
        c < 0x80 ? append_hex_byte(out, static_cast<unsigned>(c)) : append_unicode_escape(out, c);
      });
}

void append_json(std::string& out, std::string_view value) {
  append_escaped(
      out, value,
      [&out](unsigned byte) {
        out += '\\';
        append_hex_byte(out, byte);
      },
      [&out](char32_t c) { append_unicode_escape(out, c); });
}

std::string number_text(std::string_view key, double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  auto const ms = key == "ms" || key.ends_with("_ms");
  std::array<char, 400> text{};
  auto const size = std::snprintf(text.data(), text.size(), ms ? "%.1f" : "%.6g", value);
  return {text.data(), static_cast<std::size_t>(size)};
}

}  // namespace slotswap::telemetry
