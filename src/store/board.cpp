#include "board.hpp"

#include <xxhash.h>

#include <array>
#include <charconv>

namespace slotswap::store {
namespace {

constexpr std::string_view magic = "slotswap";
constexpr std::size_t digits = 16;
constexpr std::size_t head_bytes = magic.size() + 3 * (1 + digits) + 1;

std::string hex(std::uint64_t value) {
  std::string text(digits, '0');
  std::array<char, digits> written{};
  auto const end = std::to_chars(written.data(), written.data() + digits, value, 16).ptr;
  auto const count = static_cast<std::size_t>(end - written.data());
  return text.replace(digits - count, count, written.data(), count);
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  auto const read = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::uint64_t digest(std::uint64_t number, std::string_view text) {
  return XXH3_64bits_withSeed(text.data(), text.size(), number);
}

}  // namespace

// "slotswap NUMBER LENGTH DIGEST", a line, then the text.
std::optional<std::string> to_half(Half const& half) {
  if (half.text.size() > half_bytes - head_bytes) return std::nullopt;
  return std::string(magic) + ' ' + hex(half.number) + ' ' + hex(half.text.size()) + ' ' +
         hex(digest(half.number, half.text)) + '\n' + half.text;
}

std::optional<Half> from_half(std::string_view bytes) {
  if (bytes.size() < head_bytes || !bytes.starts_with(magic)) return std::nullopt;
  auto const field = [&](std::size_t place) {
    return number(bytes.substr(magic.size() + 1 + place * (digits + 1), digits));
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
