// The part of slotswap, in a process of its own so that its memory is its own: the same service,
// its times at the simulated server's scale. At SIGUSR1, and after its end, a line of its log says
// what it still has under way (event=soak).
#pragma once

#include <string>

namespace slotswap::soak {

constexpr double scale = 0.02;  // of the simulated server's times

int serve(std::string const& config_file);

}  // namespace slotswap::soak
