// Which requests of a llama-server run in a slot (docs/llama-server.md, "Which requests use a
// slot"). Pure.
#pragma once

#include <string_view>

namespace slotswap::llama {

enum class Work {
  none,   // touches no slot: relayed as it is
  slot,   // a prompt of a session: completions, chat, responses, messages, infill
  other,  // runs in a slot but belongs to no session: embeddings, rerank, audio, and every unknown
          // POST
  refused,  // changes slots or adapters behind us: POST /slots..., POST /lora-adapters
};

/// `path` is decoded, without query. A trailing or doubled slash does not hide a path, and dot
/// segments make none slot-free.
Work classify(std::string_view method, std::string_view path);

}  // namespace slotswap::llama
