// Hex digits as the bytes they write. Only what was checked to be hex comes in.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slotswap::store {

inline bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

inline constexpr std::size_t number_digits = 16;

/// All 16 digits, with leading zeros.
inline std::string hex_number(std::uint64_t value) {
  std::array<char, number_digits> written{};
  auto const end = std::to_chars(written.data(), written.data() + number_digits, value, 16).ptr;
  auto const count = static_cast<std::size_t>(end - written.data());
  return std::string(number_digits - count, '0').append(written.data(), count);
}

/// None: not 16 digits.
inline std::optional<std::uint64_t> from_hex_number(std::string_view text) {
  if (text.size() != number_digits || !std::all_of(text.begin(), text.end(), is_hex_digit))
    return std::nullopt;
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

inline std::array<unsigned char, 16> pack_hex(std::string_view digits) {
  auto const value = [](char c) {
    return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
  };
  std::array<unsigned char, 16> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<unsigned char>(value(digits[2 * i]) << 4U | value(digits[2 * i + 1]));
  }
  return bytes;
}

}  // namespace slotswap::store
