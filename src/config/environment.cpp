#include "environment.hpp"

#include <algorithm>
#include <cstdlib>

namespace slotswap::config {
namespace {

bool is_name(std::string_view text) {
  auto const letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  auto const digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || digit(c); });
}

// What stands between ${ and }.
std::optional<std::string> look_up(std::string_view inside, Environment environment,
                                   std::string& problem) {
  auto const mark = inside.find(":-");
  auto const name = std::string(inside.substr(0, mark));
  if (!is_name(name)) {
    problem =
        "`${" + std::string(inside) + "}` names no variable; write ${NAME} or ${NAME:-default}";
    return std::nullopt;
  }
  auto value = environment(name);
  if (mark == std::string_view::npos) {
    if (!value) {
      problem = "the environment variable " + name + " is not set; ${" + name +
                ":-default} gives it a default";
    }
    return value;
  }
  if (value && !value->empty()) return value;
  auto const fallback = inside.substr(mark + 2);
  if (fallback.find('$') != std::string_view::npos) {
    problem = "a default cannot hold another variable: `${" + std::string(inside) + "}`";
    return std::nullopt;
  }
  return std::string(fallback);
}

}  // namespace

std::optional<std::string> process_environment(std::string const& name) {
  auto const* const value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::optional<std::string> expand(std::string_view text, Environment environment,
                                  std::string& problem) {
  std::string out;
  while (!text.empty()) {
    auto const dollar = text.find('$');
    out += text.substr(0, dollar);
    if (dollar == std::string_view::npos) break;
    text.remove_prefix(dollar + 1);
    if (text.starts_with('$')) {
      out += '$';
      text.remove_prefix(1);
      continue;
    }
    if (!text.starts_with('{')) {
      problem = "a single `$`; write ${NAME} for a variable, $$ for a dollar sign";
      return std::nullopt;
    }
    auto const end = text.find('}');
    if (end == std::string_view::npos) {
      problem = "`${` without `}`";
      return std::nullopt;
    }
    auto const value = look_up(text.substr(1, end - 1), environment, problem);
    if (!value) return std::nullopt;
    out += *value;
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace slotswap::config
