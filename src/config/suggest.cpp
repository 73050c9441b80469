#include "suggest.hpp"

#include <algorithm>
#include <cstddef>

namespace slotswap::config {
namespace {

// Insertions, deletions, replacements, and neighbours that changed places, each counted once.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      auto const same = a[i - 1] == b[j - 1] ? std::size_t{0} : std::size_t{1};
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + same});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, Words const& known) {
  if (word.size() > 64) return std::nullopt;
  std::optional<std::string> best;
  auto least = std::min<std::size_t>(3, std::max<std::size_t>(1, word.size() / 3)) + 1;
  for (auto const& candidate : known) {
    auto const steps = distance(word, candidate);
    if (steps < least && steps < candidate.size()) {
      least = steps;
      best = candidate;
    }
  }
  return best;
}

std::string join(Words const& words) {
  std::string text;
  for (auto const& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string hint(std::string_view word, Words const& known, std::string_view lead) {
  if (auto const meant = nearest(word, known)) return "; did you mean `" + *meant + "`?";
  return "; " + std::string(lead) + ": " + join(known);
}

}  // namespace slotswap::config
