// How a simulated llama-server behaves. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slotswap::llama_sim {

struct LoraAdapter {
  std::string path;
  double scale = 1.0;
};

/// A model that a router knows; what is not set is as the router's own options say.
struct RouterModel {
  RouterModel(std::string id_, std::vector<std::string> aliases_ = {})
      : id(std::move(id_)), aliases(std::move(aliases_)) {}
  std::string id;
  std::vector<std::string> aliases;
  std::string model_path;  // empty: made of the id
  std::optional<std::uint64_t> bytes_per_token;
  std::optional<double> decode_tps;
  std::optional<double> sleep_idle_seconds;
  std::optional<double> load_seconds;
  bool broken = false;  // never gets loaded
};

struct Options {
  Options() = default;
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: the system chooses
  std::string model = "sim";
  std::string model_path;  // empty: made of the model's name
  std::int64_t n_params = 1000;
  std::int64_t model_size = 2000;  // bytes
  std::int64_t n_embd = 64;
  std::vector<LoraAdapter> lora_adapters;
  int slots = 1;
  std::int64_t context = 16'384;  // tokens
  std::string slot_save_path;     // empty: no slot actions (501)
  bool slots_endpoint = true;
  std::string api_key;
  double prefill_tps = 0;  // tokens a second; 0: at once
  double decode_tps = 0;
  double slot_call_tps = 0;       // of a state that is saved or restored
  double sleep_idle_seconds = 0;  // 0: never
  /// Every period of the real server (the 1 s disconnect check, the sleep, the speeds) times this.
  double scale = 1.0;
  bool slot_actions = true;  // false: every slot call is an "Invalid action"
  /// Of the KV payload in a slot file. It stands for the KV type and the model's shape: a file with
  /// another number is refused.
  std::uint64_t bytes_per_token = 256;

  /// Not empty: a router. Its models are started with these options, but for what they say
  /// themselves.
  std::vector<RouterModel> router_models;
  int models_max = 0;          // 0: no limit
  double load_seconds = 0;     // of a model
  double stop_seconds = 10;    // after which one that does not end is killed
  double crash_seconds = 0.1;  // before the router sees that one died
  bool models_autoload = true;
  /// What older routers lack.
  bool model_events = true;
  bool tells_max_instances = true;
  bool tells_status = true;
};

/// Where the completions of a simulated server stand still until they are let go: a test that needs
/// one under way holds it there, however slow the machine is.
enum class Hold {
  nowhere,
  prefill,  // before the first batch of the prompt
  answer,   // behind the first word
};

/// What may be made to go wrong; each happens as many times as it was ordered.
enum class Fault {
  save_error,     // 500, the slot keeps its content
  save_short,     // fewer bytes on disk than n_written says
  save_empty,     // 200 with n_saved 0
  save_hangs,     // never answered
  restore_error,  // 400, the slot is emptied
  restore_hangs,
  restore_dies,  // the server, whatever the file is
  props_error,   // GET /props: 500
  slots_error,   // GET /slots: 500
  slots_hang,
  loading,          // 503 "Loading model" to everything
  drop_request,     // the connection is closed when a completion arrives
  drop_kept,        // the same on a connection that was used before, whatever arrives
  drop_answer,      // and in the middle of a stream
  half_event,       // and in the middle of a stream's event
  swallow,          // a completion is taken and never answered, its slot stays idle
  inference_error,  // 500 after the prompt was read
  double_framing,   // a stream with Content-Length and in chunks
  load_fails,       // of a router's model
  load_hangs,       // takes 60 s
  unload_hangs,     // an unloaded model has to be killed
  events_drop,      // a router's event streams are closed, or the next one when none is open
};

}  // namespace slotswap::llama_sim
