// The commands of the program. Each returns its exit code.
#pragma once

#include <string>

namespace slotswap::app {

/// Serves until SIGTERM or SIGINT. 0 after an orderly end, 1 when it cannot start, 2 for errors of
/// the configuration. A second signal ends the process at once, with 128 and its number.
int serve(std::string const& config_file);

/// Prints the effective configuration (0) or what is wrong with it (2).
int check(std::string const& config_file);

}  // namespace slotswap::app
