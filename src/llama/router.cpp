#include "fields.hpp"

#include <slotswap/llama/router.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace slotswap::llama {

namespace {

std::optional<base::Duration> seconds_of(std::string_view text) {
  int seconds = 0;
  auto const* const end = text.data() + text.size();
  auto const [stopped, error] = std::from_chars(text.data(), end, seconds);
  if (error != std::errc() || stopped != end || seconds < 0) return std::nullopt;
  return std::chrono::seconds(seconds);
}

// The value that follows a flag in the command line of a model's process.
std::optional<base::Duration> flag_seconds(boost::json::object const& status,
                                           std::string_view flag) {
  auto const* const args = array_member(status, "args");
  if (args == nullptr) return std::nullopt;
  for (std::size_t i = 0; i + 1 < args->size(); ++i) {
    auto const* const name = (*args)[i].if_string();
    auto const* const value = (*args)[i + 1].if_string();
    if (name == nullptr || value == nullptr || *name != flag) continue;
    return seconds_of(*value);
  }
  return std::nullopt;
}

// "key = value" in the lines of a preset.
std::optional<base::Duration> preset_seconds(std::string_view preset, std::string_view key) {
  while (!preset.empty()) {
    auto const end = std::min(preset.find('\n'), preset.size());
    auto const line = preset.substr(0, end);
    preset.remove_prefix(std::min(end + 1, preset.size()));
    if (!line.starts_with(key)) continue;
    auto const value = line.substr(key.size());
    if (value.starts_with(" = ")) return seconds_of(value.substr(3));
  }
  return std::nullopt;
}

RouterModel read_entry(boost::json::object const& entry) {
  RouterModel model;
  model.id = text_member(entry, "id").value_or("");
  if (auto const* const aliases = array_member(entry, "aliases")) {
    for (auto const& alias : *aliases) {
      if (auto const* const text = alias.if_string()) model.aliases.emplace_back(*text);
    }
  }
  auto const* const status = object_member(entry, "status");
  if (status == nullptr) return model;
  if (auto const word = text_member(*status, "value")) model.status = read_status(*word);
  model.sleep = flag_seconds(*status, "--sleep-idle-seconds");
  model.stop = preset_seconds(text_member(*status, "preset").value_or(""), "stop-timeout");
  return model;
}

}  // namespace

ModelStatus read_status(std::string_view word) {
  if (word == "loading") return ModelStatus::loading;
  if (word == "loaded") return ModelStatus::loaded;
  if (word == "sleeping") return ModelStatus::sleeping;
  return ModelStatus::absent;
}

base::Result<std::vector<RouterModel>> read_router_models(std::string_view body) {
  auto const parsed = parse_answer(body, "/models");
  if (!parsed) return parsed.error();
  auto const* const object = parsed->if_object();
  auto const* const items = object != nullptr ? array_member(*object, "data") : nullptr;
  if (items == nullptr) return bad_answer("/models has no data list");
  std::vector<RouterModel> models;
  for (auto const& item : *items) {
    auto const* const entry = item.if_object();
    if (entry == nullptr) continue;
    auto model = read_entry(*entry);
    if (!model.id.empty()) models.push_back(std::move(model));
  }
  return models;
}

EventRead read_model_event(std::string_view data) {
  EventRead read;
  auto const parsed = parse_answer(data, "/models/sse");
  auto const* const object = parsed ? parsed->if_object() : nullptr;
  if (object == nullptr) return read;
  auto const kind = text_member(*object, "event").value_or("");
  read.reload = kind == "models_reload" || kind == "model_remove";
  auto const* const about = object_member(*object, "data");
  auto const word = about != nullptr ? text_member(*about, "status") : std::nullopt;
  auto const named = text_member(*object, "model");
  if (!word || !named || (kind != "model_status" && kind != "status_change")) return read;
  read.status.emplace();
  read.status->model = *named;
  read.status->status = read_status(*word);
  return read;
}

}  // namespace slotswap::llama
