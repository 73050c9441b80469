// YAML text -> a tree with places: anchors followed, `<<` merged, keys unique. The only user of
// yaml-cpp. Built from the parser's events, not its nodes: those take doubled keys silently, do not
// merge, and an anchor that refers to itself makes a walk over them endless. Aliased nodes are
// shared, not copied.
#pragma once

#include "findings.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace slotswap::config {

struct Node;
using NodePtr = std::shared_ptr<Node const>;

struct Entry {
  std::string key;
  Place place;  // the key's
  NodePtr value;
};

struct Node {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  Place place;
  std::string text;            // scalar
  std::vector<NodePtr> items;  // list
  std::vector<Entry> entries;  // map
  std::size_t weight = 1;      // nodes in it when every alias is written out
};

/// More values than this, aliases written out, are taken for an attack or a mistake.
inline constexpr std::size_t most_values = 100'000;

/// The document's root; null when the text could not be read, which is then the only error.
NodePtr parse_tree(std::string_view text, Findings& findings);

}  // namespace slotswap::config
