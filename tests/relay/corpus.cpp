#include "relay/corpus.hpp"

#include "support/escapes.hpp"

#include <fstream>
#include <ostream>
#include <stdexcept>

namespace slotswap::test {
namespace {

[[noreturn]] void refuse(std::string const& line) {
  throw std::runtime_error("the corpus has a line that cannot be read: " + line);
}

// "> text" is a line, ">> text" bytes as they stand; "<" and "<<" likewise.
std::string bytes_of(std::string const& line) {
  auto const bare = line.size() > 1 && line[1] == line[0];
  auto const begin = bare ? std::size_t{2} : std::size_t{1};
  if (line.size() > begin && line[begin] != ' ') refuse(line);
  auto const text = line.size() > begin ? line.substr(begin + 1) : std::string();
  return unescaped(text, Escapes::with_repeats) + (bare ? "" : "\r\n");
}

}  // namespace

std::ostream& operator<<(std::ostream& out, CorpusCase const& one) {
  return out << one.name;
}

std::vector<CorpusCase> read_corpus(std::string const& name) {
  std::ifstream file(std::string(SLOTSWAP_CORPUS) + "/" + name + ".txt");
  if (!file) throw std::runtime_error("no corpus " + name);
  std::vector<CorpusCase> cases;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with("== ")) {
      cases.push_back({line.substr(3), {{"send", ""}}});
      continue;
    }
    if (cases.empty()) refuse(line);
    auto& steps = cases.back().steps;
    if (line[0] == '>' || line[0] == '<') {
      steps.back().bytes += bytes_of(line);
    } else {
      // `ask` stands before the bytes.
      if (line.starts_with("ask "))
        steps.insert(steps.begin(), {line, ""});
      else
        steps.push_back({line, ""});
    }
  }
  return cases;
}

}  // namespace slotswap::test
