// What a router says of its models: the list and the events.
#include "llama_sim/router.hpp"

#include <boost/json/serialize.hpp>

#include <cmath>
#include <utility>

namespace slotswap::llama_sim {

namespace json = boost::json;

namespace {

std::string number(double value) {
  auto const whole = std::llround(value);
  return static_cast<double>(whole) == value ? std::to_string(whole) : std::to_string(value);
}

json::array arguments(Options const& options) {
  json::array args{"llama-server", "--host", "127.0.0.1", "--port", "0"};
  auto const add = [&args](char const* flag, std::string const& value) {
    args.emplace_back(flag);
    args.emplace_back(value);
  };
  if (options.sleep_idle_seconds > 0) {
    add("--sleep-idle-seconds", number(options.sleep_idle_seconds));
  }
  if (!options.slot_save_path.empty()) add("--slot-save-path", options.slot_save_path);
  add("--alias", options.model);
  add("--ctx-size", std::to_string(options.context));
  auto const path = "/models/" + options.model + ".gguf";
  add("--model", options.model_path.empty() ? path : options.model_path);
  add("--parallel", std::to_string(options.slots));
  return args;
}

}  // namespace

std::string Router::status(Model const& model) const {
  switch (model.state) {
    case State::unloaded:
      return "unloaded";
    case State::loading:
      return "loading";
    case State::loaded:
      break;
  }
  return model.child->asleep() ? "sleeping" : "loaded";
}

std::string Router::status(std::string const& id) const {
  auto const* model = find(id);
  return model == nullptr ? std::string() : status(*model);
}

json::object Router::entry(Model const& model) const {
  json::object state;
  state["value"] = status(model);
  state["args"] = arguments(options_of(model));
  if (model.failed && model.state == State::unloaded) {
    state["exit_code"] = 1;
    state["failed"] = true;
  }
  json::array aliases;
  for (auto const& alias : model.spec.aliases) aliases.emplace_back(alias);
  json::object body;
  body["id"] = model.spec.id;
  body["aliases"] = aliases;
  body["tags"] = json::array();
  body["object"] = "model";
  body["owned_by"] = "llamacpp";
  body["created"] = 0;
  if (options_.tells_status) body["status"] = state;
  body["source"] = "preset";
  body["can_remove"] = false;
  if (model.child) body["meta"] = model.child->meta();
  return body;
}

net::awaitable<void> Router::list(Request& request) {
  if (http::query_value(request.target.query, "reload")) tell("*", "models_reload", {});
  json::array data;
  for (auto const& model : models_) {
    look_for_sleep(*model);
    data.push_back(entry(*model));
  }
  json::object body;
  body["data"] = data;
  body["object"] = "list";
  co_await answer(request.incoming, 200, body);
}

net::awaitable<void> Router::events(Request& request) {
  auto& incoming = request.incoming;
  auto const listener = std::make_shared<Listener>(loop_);
  listener->dropped = take_fault(Fault::events_drop);
  listeners_.insert(listener);
  auto head = make_head(incoming, 200, "text/event-stream");
  head.fields.add("X-Accel-Buffering", "no");
  incoming.begin(std::move(head), std::nullopt);
  std::function<void()> left = [listener] { listener->signal.notify(); };
  incoming.on_gone(left);
  auto here = co_await incoming.flush();
  while (here && !listener->dropped && !incoming.gone()) {
    if (listener->waiting.empty()) {
      co_await listener->signal.wait();
      continue;
    }
    auto const text = std::exchange(listener->waiting, {});
    incoming.append({text});
    here = co_await incoming.flush();
  }
  incoming.on_gone(nullptr);
  listeners_.erase(listener);
  incoming.abort();
}

void Router::drop_events() {
  for (auto const& listener : listeners_) {
    listener->dropped = true;
    listener->signal.notify();
  }
}

void Router::ordered(Fault fault) {
  if (fault != Fault::events_drop || listeners_.empty()) return;
  take_fault(fault);
  drop_events();
}

void Router::tell(std::string const& model, char const* event, json::object data) {
  json::object body;
  body["model"] = model;
  body["event"] = event;
  if (!data.empty()) body["data"] = std::move(data);
  auto const text = "data: " + json::serialize(body) + "\n\n";
  for (auto const& listener : listeners_) {
    listener->waiting += text;
    listener->signal.notify();
  }
}

// Without a status: that its process was started.
void Router::tell_status(Model const& model, char const* status) {
  json::object data;
  data["status"] = status == nullptr ? "loading" : status;
  if (status != nullptr && std::string(status) == "unloaded") {
    data["exit_code"] = model.failed ? 1 : 0;
  }
  tell(model.spec.id, status == nullptr ? "model_status" : "status_change", std::move(data));
}

void Router::tell_loading(Model const& model, double progress) {
  json::object part;
  part["stages"] = json::array({"text_model"});
  part["current"] = "text_model";
  part["value"] = progress;
  json::object data;
  data["status"] = "loading";
  data["progress"] = part;
  tell(model.spec.id, "status_change", std::move(data));
}

void Router::tell_loaded(Model const& model) {
  json::object info;
  info["id"] = model.spec.id;
  info["object"] = "model";
  info["owned_by"] = "llamacpp";
  info["meta"] = model.child->meta();
  json::object data;
  data["status"] = "loaded";
  data["info"] = info;
  tell(model.spec.id, "status_change", std::move(data));
}

}  // namespace slotswap::llama_sim
