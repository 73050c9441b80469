// The members of a JSON object, read strictly.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slotswap::store {

namespace json = boost::json;

/// Takes members out of an object and keeps the first complaint.
class Members {
 public:
  explicit Members(json::object const& object) : object_(object) {}

  std::string text(std::string_view name) {
    auto const* const value = find(name);
    if (value != nullptr && !value->is_string()) complain(name, "is not a string");
    return value != nullptr && value->is_string()
               ? std::string(value->get_string().c_str(), value->get_string().size())
               : std::string();
  }

  bool flag(std::string_view name) {
    auto const* const value = find(name);
    if (value != nullptr && !value->is_bool()) complain(name, "is neither true nor false");
    return value != nullptr && value->is_bool() && value->get_bool();
  }

  std::optional<std::string> optional_text(std::string_view name) {
    if (!object_.contains(name)) return std::nullopt;
    return text(name);
  }

  std::int64_t integer(std::string_view name, std::int64_t least) {
    auto const* const value = find(name);
    if (value == nullptr) return least;
    if (!value->is_int64()) {
      complain(name, value->is_uint64() ? "is too large" : "is not an integer");
      return least;
    }
    if (value->get_int64() < least) complain(name, "is too small");
    return value->get_int64();
  }

  /// The parser makes what fits an int64 an int64, and only what does not a uint64.
  std::uint64_t count(std::string_view name, std::int64_t least) {
    auto const* const value = find(name);
    if (value != nullptr && value->is_uint64()) return value->get_uint64();
    auto const number = integer(name, least);
    return number < 0 ? 0 : static_cast<std::uint64_t>(number);
  }

  void complain(std::string_view name, std::string_view what) {
    if (complaint_.empty()) complaint_ = "'" + std::string(name) + "' " + std::string(what);
  }

  std::string const& complaint() const { return complaint_; }

 private:
  json::value const* find(std::string_view name) {
    auto const* const value = object_.if_contains(name);
    if (value == nullptr) complain(name, "is absent");
    return value;
  }

  json::object const& object_;
  std::string complaint_;
};

}  // namespace slotswap::store
