// Damaged texts end in errors, not in a crash or a walk without end (the test's time limit would
// tell).
#include "support.hpp"

#include <gtest/gtest.h>

#include <random>

namespace slotswap::config {
namespace {

std::string const spices[] = {"&a ",      "*a ",    "<<: *a\n", "[",  "]",           "{",
                              "}",        "!!map ", "- ",       ": ", "? ",          "|\n",
                              ">-\n",     "---\n",  "...\n",    "\t", "\"",          "'",
                              "${",       "$$",     "#",        ",",  "%YAML 1.2\n", "\xEF\xBB\xBF",
                              "\xC3\xA4", "\xFF",   "@",        "`",  "\n",          "  ",
                              "~"};

std::string mutated(std::string text, std::mt19937& random) {
  auto const below = [&random](std::size_t end) {
    return static_cast<std::size_t>(random()) % std::max<std::size_t>(end, 1);
  };
  for (auto changes = 1 + below(6); changes > 0 && !text.empty(); --changes) {
    auto const at = below(text.size());
    switch (below(5)) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text[at] = static_cast<char>(random() % 256U);
        break;
      case 2:
        text.erase(at, below(40));
        break;
      case 3:
        text.insert(at, spices[below(std::size(spices))]);
        break;
      default:
        text.insert(at, text.substr(below(text.size()), below(200)));
        break;
    }
  }
  return text;
}

TEST(ConfigMutations, never_crash_or_hang) {
  std::mt19937 random(20261130);  // NOLINT: the same damage each time
  auto const example = slurp(std::string(SLOTSWAP_CONFIG) + "/slotswap.example.yaml");
  std::string const small =
      "x-a: &a {on_miss: erase}\n" + servers +
      "routes:\n- model: a\n  servers: [main]\n  linger_seconds: auto\n  max_queue: 5\n"
      "  response_headers: on\n  side_requests:\n"
      "  - {match: {header: {X-a$: b*}, path: /v1/*, max_tokens: 9}, do: isolate}\n  slots: {<<: "
      "*a, id: ${NUMBER}, max_age: 3d, pin: [b, c]}\n" +
      defaults_line();
  ASSERT_FALSE(example.empty());
  std::size_t good = 0;
  for (int i = 0; i < 6000; ++i) {
    auto const loaded = load(mutated(i % 10 == 0 ? example : small, random));
    for (auto const& problem : loaded.errors) ASSERT_FALSE(problem.message.empty());
    if (!loaded.errors.empty()) continue;
    ++good;
    ASSERT_EQ(listed(load(print(loaded.config)).errors), "");
  }
  EXPECT_GT(good, 0U);
}

}  // namespace
}  // namespace slotswap::config
