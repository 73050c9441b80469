#include "fields.hpp"

#include <slotswap/json/scan.hpp>

namespace slotswap::llama {

namespace bj = boost::json;

bj::value const* member(bj::object const& object, std::string_view name) {
  return object.if_contains(bj::string_view(name.data(), name.size()));
}

bj::object const* object_member(bj::object const& object, std::string_view name) {
  auto const* const value = member(object, name);
  return value != nullptr ? value->if_object() : nullptr;
}

bj::array const* array_member(bj::object const& object, std::string_view name) {
  auto const* const value = member(object, name);
  return value != nullptr ? value->if_array() : nullptr;
}

std::optional<std::string> text_member(bj::object const& object, std::string_view name) {
  auto const* const value = member(object, name);
  auto const* const text = value != nullptr ? value->if_string() : nullptr;
  if (text == nullptr) return std::nullopt;
  return std::string(text->data(), text->size());
}

std::optional<bool> bool_member(bj::object const& object, std::string_view name) {
  auto const* const value = member(object, name);
  auto const* const flag = value != nullptr ? value->if_bool() : nullptr;
  return flag != nullptr ? std::optional(*flag) : std::nullopt;
}

std::optional<std::int64_t> count_member(bj::object const& object, std::string_view name) {
  auto const* const value = member(object, name);
  auto const* const number = value != nullptr ? value->if_int64() : nullptr;
  return number != nullptr && *number >= 0 ? std::optional(*number) : std::nullopt;
}

base::Fault bad_answer(std::string_view what) {
  return {base::Side::server, "bad_answer",
          "not the answer of a llama-server: " + std::string(what)};
}

base::Result<bj::value> parse_answer(std::string_view body, std::string_view what) {
  auto parsed = json::parse(body);
  if (!parsed) return bad_answer(std::string(what) + ", " + parsed.error().detail);
  return parsed;
}

}  // namespace slotswap::llama
