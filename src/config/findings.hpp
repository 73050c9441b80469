// What is wrong with a text, gathered and sorted by position. One load owns one; no thread rule.
#pragma once

#include <slotswap/config/config.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace slotswap::config {

/// 1-based; a column counts characters, not bytes. Line 0: the file as a whole.
struct Place {
  int line = 0;
  int column = 0;
};

/// " (line N)", after what stands there.
inline std::string on_line(Place place) {
  return " (line " + std::to_string(place.line) + ")";
}

class Findings {
 public:
  /// The text must outlive this.
  Findings(std::string file, std::string_view text);

  Place place_of_byte(std::size_t offset) const;
  /// From the parser's 0-based line and byte column.
  Place place_of(int line, int column) const;

  void error(Place place, std::string message);
  void warning(Place place, std::string message);
  /// A text that cannot be read further: this error is the only one.
  void only_error(Place place, std::string message);

  bool any_error() const { return !errors_.empty(); }
  /// Sorted, each once: an aliased value is read by everyone who refers to it.
  void move_to(Loaded& loaded);

 private:
  std::string file_;
  std::string_view text_;
  std::vector<std::size_t> line_starts_;
  std::vector<Problem> errors_;
  std::vector<Problem> warnings_;
};

}  // namespace slotswap::config
