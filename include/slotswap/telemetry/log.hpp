// Log lines: one event each, stable keys, logfmt or JSON; docs/log.md lists the events.
// Every function and every Line may be used from any thread; one Line belongs to one thread.
// Values are escaped and cut, so nothing a client sends can end a line or forge a key.
// Before start() and after shutdown() lines go to standard error at once.
#pragma once

#include <slotswap/base/clock.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slotswap::telemetry {

enum class Level : std::uint8_t { trace, debug, info, warning, error };

std::string_view to_string(Level level);
/// "trace", "debug", "info", "warning", "error"; nothing for another word.
std::optional<Level> level_from(std::string_view word);

struct LogSettings {
  Level level = Level::info;
  bool json = false;
  std::string file;          // empty: standard error
  std::size_t queue = 8192;  // lines that may wait; the oldest beyond are dropped, and counted
  bool brief_ids = false;    // sessions' ids as their first 8 digits, in every value
};

/// Starts the writer; the words of an error when the file cannot be opened (lines go on as before
/// then).
std::optional<std::string> start(LogSettings const& settings);

/// Writes what waits and ends the writer.
void shutdown();

/// Whether a line of this level would be written; a Line asks by itself.
bool enabled(Level level) noexcept;

/// A line being made; its destructor sends it. One of a level that is off costs one atomic read.
class Line {
 public:
  Line(Level level, std::string_view event);
  Line(Line&& other) noexcept;
  Line& operator=(Line&&) = delete;
  Line(Line const&) = delete;
  Line& operator=(Line const&) = delete;
  ~Line();

  Line& field(std::string_view key, std::string_view value);
  Line& field(std::string_view key, char const* value) {
    return field(key, std::string_view(value));
  }
  Line& field(std::string_view key, std::string const& value) {
    return field(key, std::string_view(value));
  }
  Line& field(std::string_view key, std::same_as<bool> auto value) { return flag(key, value); }
  Line& field(std::string_view key, std::signed_integral auto value) {
    return integer(key, static_cast<std::int64_t>(value));
  }
  Line& field(std::string_view key,
              std::unsigned_integral auto value) requires(!std::same_as<decltype(value), bool>) {
    return natural(key, static_cast<std::uint64_t>(value));
  }
  /// One decimal for `ms` and keys that end in `_ms`, else up to six significant digits.
  Line& field(std::string_view key, std::floating_point auto value) {
    return real(key, static_cast<double>(value));
  }
  /// In milliseconds, with one decimal.
  Line& field(std::string_view key, base::Duration value) { return duration(key, value); }
  /// An empty optional leaves the key out: not known is not zero.
  template <class T>
  Line& field(std::string_view key, std::optional<T> const& value) {
    return value ? field(key, *value) : *this;
  }
  /// The words for a person; always the last key.
  Line& say(std::string_view words);

 private:
  Line& text(std::string_view key, std::string_view value);
  Line& flag(std::string_view key, bool value);
  Line& integer(std::string_view key, std::int64_t value);
  Line& natural(std::string_view key, std::uint64_t value);
  Line& real(std::string_view key, double value);
  Line& duration(std::string_view key, base::Duration value);
  void name(std::string_view key);

  bool on_;
  bool json_ = false;
  bool brief_ids_ = false;
  Level level_;
  std::string text_;
  std::string say_;
};

}  // namespace slotswap::telemetry
