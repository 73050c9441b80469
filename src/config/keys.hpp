// The keys that each map of the file may have, by the title of its Section. Pure.
#pragma once

#include <string>
#include <string_view>

namespace slotswap::config {

bool may_have(std::string_view title, std::string_view key);

/// What to say of a key that the map may not have.
std::string unknown_key_hint(std::string_view title, std::string_view key);

}  // namespace slotswap::config
