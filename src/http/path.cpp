#include <slotswap/http/path.hpp>

#include <cstdint>

namespace slotswap::http {

namespace {

std::optional<std::uint32_t> hex_digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  std::uint32_t value = 0;
  for (auto const c : text.substr(at, count)) {
    std::uint32_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<std::uint32_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<std::uint32_t>(c - 'a') + 10U;
    } else if (c >= 'A' && c <= 'F') {
      digit = static_cast<std::uint32_t>(c - 'A') + 10U;
    } else {
      return std::nullopt;
    }
    value = value * 16U + digit;
  }
  return value;
}

// Of a four-digit escape: nothing above U+FFFF, and a surrogate is no character.
void append_utf8(std::string& out, std::uint32_t code) {
  auto const tail = [&out](std::uint32_t bits) {
    out += static_cast<char>(0x80U | (bits & 0x3FU));
  };
  if (code < 0x80U) {
    out += static_cast<char>(code);
  } else if (code < 0x800U) {
    out += static_cast<char>(0xC0U | (code >> 6U));
    tail(code);
  } else if (code < 0xD800U || code > 0xDFFFU) {
    out += static_cast<char>(0xE0U | (code >> 12U));
    tail(code >> 6U);
    tail(code);
  }
}

// llama-server's HTTP library knows %XX and also %uXXXX: a path is classed by what the server will
// see.
std::string percent_decode(std::string_view text, bool plus_is_blank) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (plus_is_blank && text[i] == '+') {
      out += ' ';
      continue;
    }
    if (text[i] == '%') {
      auto const wide = i + 1 < text.size() && text[i + 1] == 'u';
      auto const value = wide ? hex_digits(text, i + 2, 4) : hex_digits(text, i + 1, 2);
      if (value) {
        if (wide) {
          append_utf8(out, *value);
        } else {
          out += static_cast<char>(*value);
        }
        i += wide ? 5 : 2;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

}  // namespace

Target split_target(std::string_view target) {
  auto const mark = target.find('?');
  Target out;
  out.path = percent_decode(target.substr(0, mark), false);
  if (mark != std::string_view::npos) out.query = target.substr(mark + 1);
  return out;
}

std::optional<std::string> query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    auto const end = query.find('&');
    auto const pair = query.substr(0, end);
    auto const equals = pair.find('=');
    if (percent_decode(pair.substr(0, equals), true) == name) {
      if (equals == std::string_view::npos) return std::string();
      return percent_decode(pair.substr(equals + 1), true);
    }
    if (end == std::string_view::npos) break;
    query.remove_prefix(end + 1);
  }
  return std::nullopt;
}

std::string encode_component(std::string_view text) {
  static constexpr std::string_view unreserved =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  static constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (auto const c : text) {
    if (unreserved.find(c) != std::string_view::npos) {
      out += c;
      continue;
    }
    auto const byte = static_cast<unsigned char>(c);
    out += '%';
    out += digits[byte >> 4U];
    out += digits[byte & 0xFU];
  }
  return out;
}

}  // namespace slotswap::http
