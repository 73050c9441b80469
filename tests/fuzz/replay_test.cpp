// The seeds, and what fuzzing found once, through their targets in every build.
#include "fuzz/targets.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>

namespace slotswap::fuzz {
namespace {

namespace fs = std::filesystem;

struct Row {
  char const* name;
  void (*run)(std::string_view);
};

std::ostream& operator<<(std::ostream& out, Row const& row) {
  return out << row.name;
}

struct Seeds : testing::TestWithParam<Row> {};

// Each whole, and each cut short: what a seed is on its way.
TEST_P(Seeds, hold_their_targets_properties) {
  std::size_t seen = 0;
  for (auto const& entry : fs::directory_iterator(fs::path(SLOTSWAP_SEEDS) / GetParam().name)) {
    SCOPED_TRACE(entry.path().filename());
    std::ifstream file(entry.path(), std::ios::binary);
    std::string const bytes{std::istreambuf_iterator<char>(file), {}};
    ASSERT_LE(bytes.size(), 64U * 1024);
    EXPECT_NO_THROW(GetParam().run(bytes));
    for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 64)
      EXPECT_NO_THROW(GetParam().run(std::string_view(bytes).substr(0, size))) << size;
    ++seen;
  }
  EXPECT_GE(seen, 5U);
}

INSTANTIATE_TEST_SUITE_P(all, Seeds,
                         testing::Values(Row{"requests", requests}, Row{"responses", responses},
                                         Row{"bodies", bodies}, Row{"events", events},
                                         Row{"tap", tap}, Row{"sessions", sessions},
                                         Row{"config", config}, Row{"states", states},
                                         Row{"facts", facts}),
                         [](auto const& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace slotswap::fuzz
