// UTF-8 as RFC 3629 has it: no surrogates, no overlong forms, nothing above U+10FFFF.
// Pure; text from clients and files is checked with it before it is written anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace slotswap::base {

/// One decoded code point and the bytes it took; size 0: the text is empty or does not start with
/// one.
struct CodePoint {
  char32_t value = 0;
  std::size_t size = 0;
};

constexpr CodePoint first_code_point(std::string_view text) {
  if (text.empty()) return {};
  auto const byte = [text](std::size_t i) {
    return std::uint32_t{static_cast<unsigned char>(text[i])};
  };
  auto const lead = byte(0);
  if (lead < 0x80U) return {lead, 1};
  auto const size = lead >= 0xF0U   ? std::size_t{4}
                    : lead >= 0xE0U ? std::size_t{3}
                                    : std::size_t{2};
  if (lead < 0xC2U || lead > 0xF4U || text.size() < size) return {};
  auto value = lead & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    value = (value << 6U) | (byte(i) & 0x3FU);
  }
  auto const overlong = (size == 3 && value < 0x800U) || (size == 4 && value < 0x10000U);
  auto const surrogate = value >= 0xD800U && value <= 0xDFFFU;
  if (overlong || surrogate || value > 0x10FFFFU) return {};
  return {value, size};
}

/// Where the first byte stands that is no part of valid UTF-8; the text's size when there is none.
constexpr std::size_t first_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    auto const step = first_code_point(text.substr(at)).size;
    if (step == 0) break;
    at += step;
  }
  return at;
}

}  // namespace slotswap::base
