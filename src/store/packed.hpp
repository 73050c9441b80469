// Hex digits as the bytes they write. Only what was checked to be hex comes in.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace slotswap::store {

inline bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

inline bool is_hex_text(std::string_view text, std::size_t digits) {
  return text.size() == digits && std::all_of(text.begin(), text.end(), is_hex_digit);
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
