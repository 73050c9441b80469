// Reading a JSON text without changing it: a checked parse to look inside, byte ranges to splice.
// The text itself is what goes on to the server. No thread rule: pure functions.
#pragma once

#include <slotswap/base/fault.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace slotswap::json {

/// The value of a whole text. Faults with code "bad_json" and the byte where it stopped.
/// Deeper than `max_depth` is a fault, never a deep recursion.
base::Result<boost::json::value> parse(std::string_view text, std::size_t max_depth = 512);

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Where the values of a top-level object's member stand in the text; every occurrence, as doubled
/// keys are allowed. `text` must have been accepted by parse(). Names with escapes are compared
/// decoded.
std::vector<Range> member_values(std::string_view text, std::string_view name);

/// Where the elements of an array stand in its text, which parse() must have accepted.
std::vector<Range> elements(std::string_view text);

/// The text with each range (ascending, apart) replaced by `with`; all other bytes as they are.
std::string splice(std::string_view text, std::vector<Range> const& ranges, std::string_view with);

/// A JSON string literal of the text.
std::string quote(std::string_view text);

}  // namespace slotswap::json
