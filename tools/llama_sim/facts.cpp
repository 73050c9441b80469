// What the simulated server says of itself: /props, the models, the slots.
#include "llama_sim/server.hpp"

namespace slotswap::llama_sim {

namespace json = boost::json;

net::awaitable<void> Server::props(Request& request) {
  json::object settings;
  settings["n_ctx"] = options_.context / options_.slots;
  json::object body;
  body["default_generation_settings"] = settings;
  body["total_slots"] = options_.slots;
  body["model_alias"] = options_.model;
  body["model_path"] = "/models/" + options_.model + ".gguf";
  body["media_marker"] = marker_;
  body["is_sleeping"] = asleep();
  body["build_info"] = "b11669-sim";
  co_await answer(request.incoming, 200, body);
}

net::awaitable<void> Server::models(Request& request) {
  json::object meta;
  meta["n_vocab"] = 1'000'003;
  meta["n_ctx"] = options_.context;
  meta["n_embd"] = 64;
  meta["n_params"] = 1000;
  json::object model;
  model["id"] = options_.model;
  model["object"] = "model";
  model["owned_by"] = "llamacpp";
  model["meta"] = meta;
  json::object name;
  name["name"] = options_.model;
  name["model"] = options_.model;
  json::object body;
  body["models"] = json::array({name});
  body["object"] = "list";
  body["data"] = json::array({model});
  co_await answer(request.incoming, 200, body);
}

net::awaitable<void> Server::look(Request& request) {
  if (!options_.slots_endpoint) {
    co_await refuse(request.incoming, 501,
                    "This server does not support slots endpoint. Start it with `--slots`",
                    "not_supported_error");
    co_return;
  }
  if (take_fault(Fault::slots_hang)) {
    co_await hang(request.incoming);
    co_return;
  }
  if (take_fault(Fault::slots_error)) {
    co_await refuse(request.incoming, 500, "no slots today", "server_error");
    co_return;
  }
  wake();
  // The main loop is at a slot action: it answers nothing else before that ends.
  while (action_running_ > 0) {
    net::Signal later(loop_);
    co_await later.wait_until(loop_.now() + scaled(0.01));
  }
  json::array body;
  for (auto const& slot : slots_.all()) {
    json::object one;
    one["id"] = slot->id;
    one["n_ctx"] = options_.context / options_.slots;
    one["speculative"] = false;
    one["is_processing"] = slot->busy;
    if (slot->task) {
      one["id_task"] = *slot->task;
      one["n_prompt_tokens"] = slot->tokens.size();
      one["n_prompt_tokens_processed"] = slot->processed;
      one["n_prompt_tokens_cache"] = slot->cached;
    }
    body.push_back(one);
  }
  co_await answer(request.incoming, 200, body);
}

}  // namespace slotswap::llama_sim
