// What a llama-server in router mode says of its models (docs/llama-server.md, "Router"). Pure.
#pragma once

#include <slotswap/base/clock.hpp>
#include <slotswap/base/fault.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slotswap::llama {

enum class ModelStatus {
  absent,  // no process: unloaded, downloading, downloaded, and every word that is not known
  loading,
  loaded,
  sleeping,  // its process runs, its model and its slot's content are dropped
};
ModelStatus read_status(std::string_view word);

/// One model of GET /models.
struct RouterModel {
  RouterModel() = default;
  std::string id;
  std::vector<std::string> aliases;
  std::optional<ModelStatus> status;    // none: this build does not say
  std::optional<base::Duration> sleep;  // --sleep-idle-seconds; none: it never sleeps
  std::optional<base::Duration> stop;   // stop-timeout, after which its process is killed
};
base::Result<std::vector<RouterModel>> read_router_models(std::string_view body);

/// One event of GET /models/sse that is about a model's status.
struct ModelEvent {
  ModelEvent() = default;
  std::string model;
  ModelStatus status = ModelStatus::absent;
};
/// None: it says something else. The whole list is to be read again then (`reload` is set) or
/// nothing has to be done.
struct EventRead {
  EventRead() = default;
  std::optional<ModelEvent> status;
  bool reload = false;
};
EventRead read_model_event(std::string_view data);

}  // namespace slotswap::llama
