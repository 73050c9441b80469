// HTTP/1.x heads as plain values (RFC 9110, 9112). Owns its text; no thread rule.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slotswap::http {

struct Field {
  Field(std::string name_, std::string value_) : name(std::move(name_)), value(std::move(value_)) {}
  std::string name;  // as received; compared without case
  std::string value;
};

/// Fields in the order in which they came, repeated ones kept apart.
class Fields {
 public:
  void add(std::string name, std::string value);
  /// Replaces all fields of that name by one, at the first one's place.
  void set(std::string_view name, std::string value);
  void erase(std::string_view name);
  bool has(std::string_view name) const;
  /// The first value, or empty.
  std::string_view get(std::string_view name) const;
  std::vector<std::string_view> all(std::string_view name) const;
  /// Whether a comma-separated list field (Connection, TE, Expect) names the token, in any of its
  /// lines.
  bool has_token(std::string_view name, std::string_view token) const;

  std::size_t size() const { return fields_.size(); }
  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }

 private:
  std::vector<Field> fields_;
};

/// The elements of a comma-separated list field's value, trimmed; empty ones are skipped (RFC
/// 9110 5.6.1).
std::vector<std::string_view> list_tokens(std::string_view value);

struct RequestHead {
  std::string method;
  std::string target;  // origin form, as received
  int minor = 1;       // HTTP/1.minor
  Fields fields;
};

struct ResponseHead {
  int status = 0;
  std::string reason;
  int minor = 1;
  Fields fields;
};

/// Heads as bytes, ending in the blank line. Fields are written as they stand, but CR, LF and NUL
/// as blanks.
std::string serialize(RequestHead const& head);
std::string serialize(ResponseHead const& head);

/// The standard phrase of a status, "Unknown" for others.
std::string_view reason_phrase(int status);

}  // namespace slotswap::http
