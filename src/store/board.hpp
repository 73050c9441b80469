// A text in two halves of a file, written in turn: a kill in the middle of one leaves the other.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slotswap::store {

inline constexpr std::size_t half_bytes = std::size_t{256} * 1024;

struct Half {
  Half(std::uint64_t number_, std::string text_) : number(number_), text(std::move(text_)) {}
  std::uint64_t number;  // the higher one was written later
  std::string text;
};

/// None: the text is too long for a half.
std::optional<std::string> to_half(Half const& half);
/// None: not one that was written whole.
std::optional<Half> from_half(std::string_view bytes);

}  // namespace slotswap::store
