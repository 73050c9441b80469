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

/// Whether a server with several slots runs it in the one that `id_slot` names
/// (docs/llama-server.md, "Several slots"), as far as its path tells. Of Work::slot.
bool heeds_id_slot(std::string_view path);

/// What a request that is in no slot means to a router.
enum class RouterWork {
  none,   // answered by itself: its list of models, its health
  model,  // passed to the process of the model that is named, which is loaded for it
  load,   // POST /models/load
  unload,
};
RouterWork router_work(std::string_view method, std::string_view path);

/// False: its query says that the model must not be loaded for it.
bool may_load(std::string_view query);

}  // namespace slotswap::llama
