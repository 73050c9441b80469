// How a value is written in a log line. Pure; what it appends never holds a line break or an
// unescaped quote, whatever bytes come in.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace slotswap::telemetry {

inline constexpr std::size_t longest_value =
    512;  // bytes; what is longer is cut and ends in U+2026
inline constexpr std::size_t longest_say = 1024;

/// 2026-11-30T04:20:00.123Z
std::string timestamp(std::chrono::system_clock::time_point when);

/// At most `bytes` of the text, cut before a character's start and marked with U+2026.
std::string cut(std::string_view text, std::size_t bytes);

/// Every session's id (32 lowercase hex digits, no more in a row) as its first 8 digits; ids stand
/// in names of files too.
std::string brief_ids(std::string_view text);

/// Bare where that is unmistakable, else quoted; bytes that are no UTF-8 and controls as \xNN.
void append_logfmt(std::string& out, std::string_view value);

/// A JSON string; bytes that are no UTF-8 as the four characters \xNN.
void append_json(std::string& out, std::string_view value);

/// One decimal for `ms` and `*_ms`, else up to six significant digits; what is no number: nan, inf.
std::string number_text(std::string_view key, double value);

}  // namespace slotswap::telemetry
