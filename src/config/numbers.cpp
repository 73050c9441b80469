// The numbers of a Section: counts, times and sizes.
#include "reader.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace slotswap::config {
namespace {

std::string number_words(double value) {
  std::array<char, 40> text{};
  auto const end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
  return {text.data(), end};
}

std::string range_words(std::string_view what, Range range) {
  return std::string(what) + " from " + number_words(range.lowest) + " to " +
         number_words(range.highest) + (range.zero && range.lowest > 0 ? ", or 0" : "");
}

std::string count_words(std::uint64_t lowest, std::uint64_t highest) {
  return "a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest);
}

template <class T>
std::optional<T> parse(std::string_view text) {
  T value{};
  auto const [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What "30d" says, in seconds; a 0 needs no unit.
std::optional<double> span_of(std::string_view text) {
  static constexpr std::array<std::pair<char, double>, 4> units{
      {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}}};
  if (text == "0") return 0;
  for (auto const& [unit, seconds] : units) {
    if (!text.ends_with(unit)) continue;
    auto const number = parse<double>(text.substr(0, text.size() - 1));
    return number ? std::optional(*number * seconds) : std::nullopt;
  }
  return std::nullopt;
}

// To the millisecond, so that what `check` prints is the same time when it is read again.
Duration to_duration(double seconds) {
  return std::chrono::milliseconds(std::llround(seconds * 1000));
}

}  // namespace

bool Section::count(std::string_view key, std::uint64_t& out, std::uint64_t lowest,
                    std::uint64_t highest) const {
  auto const read = value(key, count_words(lowest, highest));
  return read && count_of(*read, key, out, lowest, highest);
}

bool Section::count_of(Value const& read, std::string_view key, std::uint64_t& out,
                       std::uint64_t lowest, std::uint64_t highest) const {
  auto const number = parse<std::uint64_t>(read.text);
  if (!number || *number < lowest || *number > highest) {
    error(read.place, key,
          "expected " + count_words(lowest, highest) + ", found " + shown(read.text));
    return false;
  }
  out = *number;
  return true;
}

std::optional<double> Section::number(std::string_view key, std::string_view what,
                                      Range range) const {
  auto const read = value(key, range_words(what, range));
  return read ? number_of(*read, key, what, range) : std::nullopt;
}

std::optional<double> Section::number_of(Value const& read, std::string_view key,
                                         std::string_view what, Range range) const {
  auto const number = parse<double>(read.text);
  auto const fits = number && std::isfinite(*number) && *number <= range.highest &&
                    (*number >= range.lowest || (range.zero && *number == 0));
  if (fits) return number;
  error(read.place, key, "expected " + range_words(what, range) + ", found " + shown(read.text));
  return std::nullopt;
}

bool Section::seconds(std::string_view key, Duration& out, Range range) const {
  auto const read = number(key, "a number of seconds", range);
  if (read) out = to_duration(*read);
  return read.has_value();
}

bool Section::seconds_or_auto(std::string_view key, std::optional<Duration>& out,
                              Range range) const {
  constexpr std::string_view what = "auto or a number of seconds";
  auto const read = value(key, range_words(what, range));
  if (!read) return false;
  if (read->text == "auto") {
    out.reset();
    return true;
  }
  if (nearest(read->text, {"auto"})) {
    error(read->place, key,
          "expected " + range_words(what, range) + ", found " + shown(read->text) +
              "; did you mean `auto`?");
    return false;
  }
  auto const seconds = number_of(*read, key, what, range);
  if (seconds) out = to_duration(*seconds);
  return seconds.has_value();
}

bool Section::bytes(std::string_view key, std::uint64_t& out, std::uint64_t unit,
                    Range range) const {
  auto const read = number(key, "a number", range);
  if (read) out = static_cast<std::uint64_t>(std::llround(*read * static_cast<double>(unit)));
  return read.has_value();
}

bool Section::span(std::string_view key, Duration& out) const {
  constexpr std::string_view expected =
      "a number with s, m, h or d such as 30d, from 1s to 36500d, or 0";
  constexpr double longest = 36'500 * 86'400.0;
  auto const read = value(key, expected);
  if (!read) return false;
  auto const seconds = span_of(read->text);
  if (!seconds || !(*seconds == 0 || (*seconds >= 1 && *seconds <= longest))) {
    error(read->place, key, "expected " + std::string(expected) + ", found " + shown(read->text));
    return false;
  }
  out = to_duration(*seconds);
  return true;
}

}  // namespace slotswap::config
