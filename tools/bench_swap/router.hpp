// Three models behind a router that holds two, two sessions in each, sixty turns in a random order:
// through slotswap with its swapping off, with unload never, and with unload explicit.
#pragma once

namespace slotswap::bench {

// Prints a row for each. Throws std::runtime_error when an answer is not a 200.
void router_table();

}  // namespace slotswap::bench
