// HOST:PORT, unix:/path and a server's URL. Pure; each answers what is wrong, or nothing when it is
// right.
#pragma once

#include <slotswap/config/config.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace slotswap::config {

/// Hosts of IPv6 are kept without their brackets.
std::optional<std::string> parse_listen(std::string_view text, ListenAddress& address);

std::optional<std::string> parse_url(std::string_view text, ServerUrl& url);

}  // namespace slotswap::config
