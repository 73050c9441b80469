#include "board.hpp"

#include "packed.hpp"

#include <xxhash.h>

namespace slotswap::store {
namespace {

constexpr std::string_view magic = "slotswap";
constexpr std::size_t head_bytes = magic.size() + 3 * (1 + number_digits) + 1;

std::uint64_t digest(std::uint64_t number, std::string_view text) {
  return XXH3_64bits_withSeed(text.data(), text.size(), number);
}

}  // namespace

// "slotswap NUMBER LENGTH DIGEST", a line, then the text.
std::optional<std::string> to_half(Half const& half) {
  if (half.text.size() > half_bytes - head_bytes) return std::nullopt;
  return std::string(magic) + ' ' + hex_number(half.number) + ' ' + hex_number(half.text.size()) +
         ' ' + hex_number(digest(half.number, half.text)) + '\n' + half.text;
}

std::optional<Half> from_half(std::string_view bytes) {
  if (bytes.size() < head_bytes || !bytes.starts_with(magic)) return std::nullopt;
  auto const field = [&](std::size_t place) {
    return from_hex_number(
        bytes.substr(magic.size() + 1 + place * (number_digits + 1), number_digits));
  };
  auto const count = field(0);
  auto const length = field(1);
  auto const sum = field(2);
  if (!count || !length || !sum || *length > bytes.size() - head_bytes) return std::nullopt;
  auto const text = bytes.substr(head_bytes, *length);
  if (digest(*count, text) != *sum) return std::nullopt;
  return Half(*count, std::string(text));
}

}  // namespace slotswap::store
