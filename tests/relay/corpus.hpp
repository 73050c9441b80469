// Reads the framing corpus (tests/corpus/, docs/testing.md): messages as their bytes, and what
// becomes of each. Throws std::runtime_error with the line that cannot be read.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace slotswap::test {

// What happens, or is to be seen: a line's words, and the bytes that belong to it.
struct CorpusStep {
  std::string words;
  std::string bytes;
};

struct CorpusCase {
  std::string name;
  std::vector<CorpusStep> steps;
};

std::ostream& operator<<(std::ostream& out, CorpusCase const& one);

// "requests" or "responses".
std::vector<CorpusCase> read_corpus(std::string const& name);

}  // namespace slotswap::test
