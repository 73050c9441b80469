// Small things about text: hex, digests, ASCII case, code points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace slotswap::base {

/// Two lowercase hex digits a byte.
std::string to_hex(std::span<unsigned char const> bytes);

/// SHA-256 in 64 lowercase hex digits (OpenSSL's).
std::string sha256_hex(std::string_view text);

/// Exactly 32 characters of [0-9a-f].
bool is_hex32(std::string_view text);

std::string to_lower(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b);
std::string_view trim(std::string_view text);

/// Code points of UTF-8 text; a byte that is no valid UTF-8 counts as one.
std::size_t code_points(std::string_view utf8);

/// Length in bytes of the longest common prefix, cut back to a code point's start.
std::size_t common_prefix(std::string_view a, std::string_view b);

/// As in a URL: an IPv6 address in brackets.
std::string host_and_port(std::string const& host, std::uint16_t port);

/// Shell-style glob over the whole text: * any run, ? one character. No classes.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace slotswap::base
