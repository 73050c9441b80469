// Which globs leave nothing for others. Pure.
#pragma once

#include <string_view>

namespace slotswap::config {

/// Whether every text that `later` matches is matched by `earlier` too. True is certain;
/// a pair of several stars each may be covered and not be seen.
bool covers(std::string_view earlier, std::string_view later);

}  // namespace slotswap::config
