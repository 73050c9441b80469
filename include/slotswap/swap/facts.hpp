// Asking a server what it is, as far as that decides about states (docs/llama-server.md,
// "Fingerprint"). Loop thread.
#pragma once

#include <slotswap/llama/server.hpp>
#include <slotswap/net/loop.hpp>
#include <slotswap/store/file_system.hpp>
#include <slotswap/swap/fit.hpp>

#include <memory>

namespace slotswap::swap {

/// The rest of what `props` begin. Of a sleeping server it wakes the model: GET /lora-adapters
/// does. Faults: as those of llama::Server.
net::awaitable<base::Result<ServerFacts>> ask_facts(net::Loop& loop, llama::Server& server,
                                                    std::shared_ptr<store::FileSystem> files,
                                                    llama::Props props);

}  // namespace slotswap::swap
