#include "globs.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace slotswap::config {
namespace {

// In a run of wildcards only the number of ? and whether there is a * count: "*?*" is "?*".
std::string normal(std::string_view glob) {
  std::string out;
  while (!glob.empty()) {
    auto const run = std::min(glob.find_first_not_of("*?"), glob.size());
    auto const wild = glob.substr(0, run);
    out.append(static_cast<std::size_t>(std::count(wild.begin(), wild.end(), '?')), '?');
    if (wild.find('*') != std::string_view::npos) out += '*';
    glob.remove_prefix(run);
    auto const literal = std::min(glob.find_first_of("*?"), glob.size());
    out += glob.substr(0, literal);
    glob.remove_prefix(literal);
  }
  return out;
}

}  // namespace

// `later` is taken as a text in which * and ? are characters that only the same or more can match.
bool covers(std::string_view earlier, std::string_view later) {
  auto const outer = normal(earlier);
  auto const inner = normal(later);
  // match[j]: what was read of `outer` so far can take inner[0, j).
  std::vector<bool> match(inner.size() + 1, false);
  match[0] = true;
  for (auto const c : outer) {
    std::vector<bool> next(inner.size() + 1, false);
    auto reached = false;
    for (std::size_t j = 0; j <= inner.size(); ++j) {
      if (c == '*') {
        reached = reached || match[j];
        next[j] = reached;
      } else if (j > 0 && match[j - 1]) {
        next[j] = c == '?' ? inner[j - 1] != '*' : c == inner[j - 1];
      }
    }
    match.swap(next);
  }
  return match[inner.size()];
}

}  // namespace slotswap::config
