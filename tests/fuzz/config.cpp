// A configuration is refused with words and a place, or what is printed of it loads again and
// prints the same.
#include "fuzz/targets.hpp"

#include <slotswap/config/config.hpp>

#include <optional>

namespace slotswap::fuzz {

namespace {

constexpr char const* file = "fuzz.yaml";

std::optional<std::string> environment(std::string const& name) {
  if (name == "KEY") return "secret";
  return std::nullopt;
}

}  // namespace

void config(std::string_view input) {
  Input const in(input);
  auto const loaded = config::load_text(std::string(in.text), file, environment);
  for (auto const& problem : loaded.errors) {
    require(problem.file == file && !problem.message.empty(), "an error has words");
    require((problem.line > 0) == (problem.column > 0), "and a whole place");
  }
  if (!loaded.errors.empty()) return;
  auto const printed = config::print(loaded.config);
  auto const again = config::load_text(printed, file, environment);
  require(again.errors.empty(), "what is printed loads");
  require(config::print(again.config) == printed, "and prints the same");
}

}  // namespace slotswap::fuzz
