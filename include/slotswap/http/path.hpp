// The target of a request: path decoded once, and its query.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace slotswap::http {

struct Target {
  std::string path;   // percent-decoded once, without query; not normalised
  std::string query;  // raw, without '?'
};

/// Splits an origin-form target. A malformed escape stays as it is (llama-server does the same).
Target split_target(std::string_view target);

/// The decoded value of a query parameter (the first one).
std::optional<std::string> query_value(std::string_view query, std::string_view name);

/// Percent-encodes everything outside RFC 3986's unreserved characters.
std::string encode_component(std::string_view text);

}  // namespace slotswap::http
