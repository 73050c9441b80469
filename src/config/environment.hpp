// ${NAME}, ${NAME:-default} and $$ in a value. Pure but for the environment it is given.
// What a variable holds is text: it is never read as YAML nor expanded again.
#pragma once

#include <slotswap/config/config.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace slotswap::config {

/// The process's own environment.
std::optional<std::string> process_environment(std::string const& name);

/// The expanded text, or nothing and what is wrong.
std::optional<std::string> expand(std::string_view text, Environment environment,
                                  std::string& problem);

}  // namespace slotswap::config
