// One map of the file, read key by key into plain values; every complaint has its place.
// A value that is wrong is reported and left at its default, so that reading goes on.
#pragma once

#include "findings.hpp"
#include "suggest.hpp"
#include "tree.hpp"

#include <slotswap/config/config.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slotswap::config {

struct Reading {
  Findings& findings;
  Environment environment;
};

/// A scalar after its variables were filled in.
struct Value {
  std::string text;
  Place place;
};

/// In messages: what a list holds, what one item is, and an example of one.
struct ListWords {
  std::string_view items;
  std::string_view item;
  std::string_view example;
};

/// Lowest and highest number; `zero` allows 0 below the lowest.
struct Range {
  double lowest = 0;
  double highest = 0;
  bool zero = false;
};

inline constexpr Range any_seconds{0.001, 31'536'000, true};
inline constexpr Range some_seconds{0.001, 31'536'000, false};

class Section {
 public:
  /// `title` names it in messages: "slots", "a route". Reports unknown keys.
  Section(Reading& reading, NodePtr node, std::string_view title);

  Reading& reading() const { return reading_; }
  Place place() const { return node_->place; }
  Entry const* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// Where the value stands; the section's place when the key is absent.
  Place place_of(std::string_view key) const;

  std::optional<Value> value(std::string_view key, std::string_view expected) const;
  /// Each answers whether `out` was set.
  bool text(std::string_view key, std::string& out) const;
  bool needed_text(std::string_view key, std::string& out) const;
  bool count(std::string_view key, std::uint64_t& out, std::uint64_t lowest,
             std::uint64_t highest) const;
  bool seconds(std::string_view key, Duration& out, Range range) const;
  /// The same or `auto`, which is nothing.
  bool seconds_or_auto(std::string_view key, std::optional<Duration>& out, Range range) const;
  /// `words` are those for true and for false in messages; on, off, true and false are all taken.
  bool flag(std::string_view key, bool& out, Words const& words) const;
  /// A number of `unit` bytes.
  bool bytes(std::string_view key, std::uint64_t& out, std::uint64_t unit, Range range) const;

  /// A span of time with its unit, `30d`; 0 is none.
  bool span(std::string_view key, Duration& out) const;
  /// A list of scalars; nothing after a complaint.
  std::optional<std::vector<Value>> list(std::string_view key, ListWords const& words) const;
  /// The same as count() for what was read already.
  bool count_of(Value const& read, std::string_view key, std::uint64_t& out, std::uint64_t lowest,
                std::uint64_t highest) const;
  /// Whether no more than one of the two keys stands here, and `one` is no list; complains.
  bool one_of(std::string_view one, std::string_view several) const;

  template <class E>
  bool choice(std::string_view key, E& out,
              std::vector<std::pair<std::string, E>> const& choices) const {
    Words words;
    for (auto const& [word, meaning] : choices) words.push_back(word);
    auto const read = value(key, "one of " + join(words));
    if (!read) return false;
    for (auto const& [word, meaning] : choices) {
      if (word != read->text) continue;
      out = meaning;
      return true;
    }
    wrong_word(key, *read, words);
    return false;
  }

  void error(Place place, std::string_view key, std::string const& message) const;
  void warning(Place place, std::string_view key, std::string const& message) const;

 private:
  std::optional<double> number(std::string_view key, std::string_view what, Range range) const;
  std::optional<double> number_of(Value const& read, std::string_view key, std::string_view what,
                                  Range range) const;
  void wrong_word(std::string_view key, Value const& read, Words const& words) const;
  void report_unknown_keys() const;

  Reading& reading_;
  NodePtr node_;
  std::string title_;
};

/// The words for what stands somewhere: "a map", "`abc`", "nothing".
std::string shown(Node const& node);
std::string shown(std::string_view text);

/// A scalar's text with its variables filled in; nothing after a complaint.
std::optional<Value> scalar(Reading& reading, Node const& node, Place key_place,
                            std::string_view key, std::string_view expected);

enum class Empty { wrong, fine };
/// The items of a list of maps; complains when it is none.
std::vector<NodePtr> map_items(Reading& reading, Entry const& entry, Empty empty = Empty::wrong);

}  // namespace slotswap::config
