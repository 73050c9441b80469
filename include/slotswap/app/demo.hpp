// `slotswap demo`: what the proxy is for, shown on a simulated llama-server in the same process.
#pragma once

#include <string>

namespace slotswap::app {

/// Three sessions in turn, straight and through the proxy, as a table; then serves until Ctrl-C, or
/// ends with `once`.
int demo(bool once);

}  // namespace slotswap::app
