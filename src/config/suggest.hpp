// Near misses: which of the known words was meant. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slotswap::config {

using Words = std::vector<std::string>;

/// The nearest word, when it is near enough for a slip of the fingers.
std::optional<std::string> nearest(std::string_view word, Words const& known);

/// "; did you mean `x`?" or "; LEAD: a, b, c".
std::string hint(std::string_view word, Words const& known, std::string_view lead);

std::string join(Words const& words);

}  // namespace slotswap::config
