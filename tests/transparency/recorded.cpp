#include "transparency/recorded.hpp"

#include "support/escapes.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string_view>

namespace slotswap::test {
namespace fs = std::filesystem;

std::vector<Recorded> read_recorded(fs::path const& file) {
  std::ifstream input(file);
  if (!input) throw std::runtime_error("cannot be read: " + file.string());
  std::vector<Recorded> found;
  for (std::string line; std::getline(input, line);) {
    std::string_view const text = line;
    if (text.empty() || text.starts_with('#')) continue;
    if (text.starts_with("case ")) {
      found.push_back({std::string(text.substr(5)), {}, {}, false});
      continue;
    }
    if (found.empty()) throw std::runtime_error("no case before: " + line);
    if (text.starts_with("> ")) {
      found.back().request += unescaped(text.substr(2));
    } else if (text.starts_with("< ")) {
      found.back().answer += unescaped(text.substr(2));
    } else if (text == "closed" || text == "open") {
      found.back().closed = text == "closed";
    } else {
      throw std::runtime_error("not a line of a recording: " + line);
    }
  }
  return found;
}

std::vector<fs::path> recorded_files() {
  std::vector<fs::path> files;
  for (auto const& entry : fs::directory_iterator(SLOTSWAP_RECORDED_ANSWERS)) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace slotswap::test
