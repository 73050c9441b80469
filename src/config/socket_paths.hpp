// Unix sockets on disk: what can be known of a path before it is used. Answers what is wrong, or
// nothing.
#pragma once

#include <optional>
#include <string>

namespace slotswap::config {

/// One that this process will make: its folder must be there and writable, and no other file may
/// have the name.
std::optional<std::string> problem_of_own_socket(std::string const& path);

/// One that another process makes, perhaps later.
std::optional<std::string> problem_of_socket(std::string const& path);

}  // namespace slotswap::config
