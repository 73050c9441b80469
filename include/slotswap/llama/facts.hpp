// What a llama-server's answers mean, as plain values (docs/llama-server.md). Pure; the only room
// that knows its JSON.
#pragma once

#include <slotswap/base/fault.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slotswap::llama {

/// What GET /props says. It never wakes a sleeping server and never blocks.
struct Props {
  bool router = false;
  std::optional<int> max_instances;  // of a router: models at once, 0: no limit; none: not said
  bool autoload = true;              // of a router: a request for an absent model loads it
  int total_slots = 0;
  std::int64_t n_ctx = 0;
  bool sleeping = false;
  std::string model_path;
  std::string model_alias;
  std::string media_marker;  // random per start of the process, the same across a sleep
  std::string build;
};
base::Result<Props> read_props(std::string_view body);

/// One slot of GET /slots. Fields that a fresh process leaves out are none; their absence does not
/// mean "empty".
struct SlotLook {
  int id = 0;
  bool busy = false;
  std::optional<std::int64_t> task;    // id_task: moves with every task
  std::optional<std::int64_t> tokens;  // n_prompt_tokens: what the slot holds now
};
base::Result<std::vector<SlotLook>> read_slots(std::string_view body);

/// GET /v1/models: the ids, the first one is a single server's own.
base::Result<std::vector<std::string>> read_model_ids(std::string_view body);

/// What a server says of its model (docs/llama-server.md, "Fingerprint"): two fine-tunes of one
/// shape say the same. Zero or empty: not said.
struct ModelMeta {
  std::int64_t n_params = 0;
  std::int64_t size = 0;  // bytes of weights
  std::int64_t n_vocab = 0;
  std::int64_t n_embd = 0;
  std::string ftype;
};
struct Model {
  Model() = default;
  std::string id;
  ModelMeta meta;
};
/// GET /v1/models of a single server: the first one.
base::Result<Model> read_first_model(std::string_view body);
/// Of a router: the one of this id; its meta is there while it runs.
base::Result<Model> read_model(std::string_view body, std::string_view id);

/// GET /lora-adapters as one text: path and scale of each, in order; empty without adapters.
base::Result<std::string> read_adapters(std::string_view body);

struct Saved {
  std::int64_t tokens = 0;  // n_saved
  std::int64_t bytes = 0;   // n_written
};
struct Restored {
  std::int64_t tokens = 0;
  std::int64_t bytes = 0;
};
base::Result<Saved> read_saved(std::string_view body);
base::Result<Restored> read_restored(std::string_view body);
base::Result<std::int64_t> read_erased(std::string_view body);

/// The message of an error answer {"error":{"message":...}}, or the body's beginning when it is not
/// one.
std::string error_message(std::string_view body);

/// What POST /slots/0?action=probe tells: 501 no --slot-save-path; 400 "Invalid action" with it.
enum class Probe { swappable, no_save_path, loading, refused_key, unknown };
Probe read_probe(int status, std::string_view body);

/// The union of several model lists, in order, each id once; objects are kept as they came.
base::Result<std::string> merge_models(std::vector<std::string> const& bodies);

}  // namespace slotswap::llama
