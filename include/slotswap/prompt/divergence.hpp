// Where a prompt first differs from the last one of its session: a server can reuse its cache up to
// there and not after it. Pure. Lengths are code points.
#pragma once

#include <slotswap/prompt/prompt.hpp>

#include <cstddef>
#include <string>

namespace slotswap::prompt {

struct Divergence {
  enum class Kind { same, extended, cut, differs };
  Kind kind = Kind::same;
  std::size_t parts = 0;         // messages now
  std::size_t parts_before = 0;  // messages of the last prompt
  std::size_t same_parts = 0;    // equal from the start
  // Of the first part that differs (kind differs):
  std::string role;
  std::size_t same_chars = 0;
  std::size_t chars = 0;
  std::size_t chars_before = 0;
  // Of the two last parts, which hold what changes from turn to turn:
  std::size_t last_same_chars = 0;
  std::size_t last_chars = 0;
  std::size_t last_chars_before = 0;
};

Divergence compare(Prompt const& before, Prompt const& now);

/// One sentence for people: "14 messages, the last prompt had 12: ...".
std::string describe(Divergence const& divergence);

std::string_view to_string(Divergence::Kind kind);

}  // namespace slotswap::prompt
