#include "findings.hpp"

#include <slotswap/base/text.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace slotswap::config {

std::string to_string(Problem const& problem, std::string_view severity) {
  auto text = problem.file + ":";
  if (problem.line > 0) {
    text += std::to_string(problem.line) + ":" + std::to_string(problem.column) + ":";
  }
  return text + " " + std::string(severity) + ": " + problem.message;
}

Findings::Findings(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_starts_.push_back(i + 1);
  }
}

Place Findings::place_of_byte(std::size_t offset) const {
  auto const next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  auto const line = next - line_starts_.begin();
  auto const start = line_starts_[static_cast<std::size_t>(line - 1)];
  return place_of(static_cast<int>(line - 1), static_cast<int>(offset - start));
}

Place Findings::place_of(int line, int column) const {
  if (line < 0 || static_cast<std::size_t>(line) >= line_starts_.size()) return {};
  auto const start = line_starts_[static_cast<std::size_t>(line)];
  auto const before = text_.substr(start, static_cast<std::size_t>(std::max(column, 0)));
  return {line + 1, static_cast<int>(base::code_points(before)) + 1};
}

void Findings::error(Place place, std::string message) {
  errors_.push_back({file_, place.line, place.column, std::move(message)});
}

void Findings::warning(Place place, std::string message) {
  warnings_.push_back({file_, place.line, place.column, std::move(message)});
}

void Findings::only_error(Place place, std::string message) {
  errors_.clear();
  warnings_.clear();
  error(place, std::move(message));
}

void Findings::move_to(Loaded& loaded) {
  auto const key = [](Problem const& p) { return std::tie(p.line, p.column, p.message); };
  auto const tidy = [&key](std::vector<Problem>& list) {
    std::stable_sort(list.begin(), list.end(),
                     [&key](auto const& a, auto const& b) { return key(a) < key(b); });
    list.erase(std::unique(list.begin(), list.end(),
                           [&key](auto const& a, auto const& b) { return key(a) == key(b); }),
               list.end());
  };
  tidy(errors_);
  tidy(warnings_);
  loaded.errors = std::move(errors_);
  loaded.warnings = std::move(warnings_);
}

}  // namespace slotswap::config
