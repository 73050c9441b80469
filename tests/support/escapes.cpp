#include "support/escapes.hpp"

#include <charconv>
#include <cstddef>
#include <stdexcept>

namespace slotswap::test {
namespace {

// The whole of it, or nothing.
template <class Number>
bool reads(std::string_view digits, Number& number, int base) {
  auto const* const end = digits.data() + digits.size();
  auto const result = std::from_chars(digits.data(), end, number, base);
  return result.ec == std::errc() && result.ptr == end && !digits.empty();
}

}  // namespace

std::string unescaped(std::string_view text, Escapes known) {
  std::string bytes;
  for (std::size_t place = 0; place < text.size(); ++place) {
    if (text[place] != '\\') {
      bytes += text[place];
      continue;
    }
    auto const kind = ++place < text.size() ? text[place] : '\0';
    auto const digits = text.substr(place + 1 < text.size() ? place + 1 : text.size());
    auto const end = digits.find(';');
    unsigned char byte = 0;
    std::size_t times = 0;
    if (kind == '\\') {
      bytes += '\\';
    } else if (kind == 'r') {
      bytes += '\r';
    } else if (kind == 'n') {
      bytes += '\n';
    } else if (kind == 't') {
      bytes += '\t';
    } else if (kind == 'x' && digits.size() >= 2 && reads(digits.substr(0, 2), byte, 16)) {
      bytes += static_cast<char>(byte);
      place += 2;
    } else if (kind == '*' && known == Escapes::with_repeats && end < digits.size() - 1 &&
               reads(digits.substr(0, end), times, 10)) {
      bytes.append(times, digits[end + 1]);
      place += end + 2;
    } else {
      throw std::runtime_error("an unknown escape: " + std::string(text));
    }
  }
  return bytes;
}

}  // namespace slotswap::test
