// What the simulated server says of itself: /props, the models, the slots.
#include "llama_sim/server.hpp"

namespace slotswap::llama_sim {

namespace json = boost::json;

net::awaitable<void> Server::props(Request& request) {
  if (take_fault(Fault::props_error)) {
    co_await refuse(request.incoming, 500, "no props today", "server_error");
    co_return;
  }
  json::object settings;
  settings["n_ctx"] = options_.context / options_.slots;
  json::object body;
  body["default_generation_settings"] = settings;
  body["total_slots"] = options_.slots;
  body["model_alias"] = options_.model;
  body["model_ftype"] = "F16";
  body["model_path"] =
      options_.model_path.empty() ? "/models/" + options_.model + ".gguf" : options_.model_path;
  body["chat_template"] = "<|role|>content";
  body["media_marker"] = marker_;
  body["is_sleeping"] = asleep();
  body["build_info"] = "b11669-sim";
  co_await answer(request.incoming, 200, body);
}

json::object Server::meta() const {
  json::object meta;
  meta["vocab_type"] = 1;
  meta["n_vocab"] = 1'000'003;
  meta["n_ctx"] = options_.context;
  meta["n_ctx_train"] = 65'536;
  meta["n_embd"] = options_.n_embd;
  meta["n_params"] = options_.n_params;
  meta["size"] = options_.model_size;
  meta["ftype"] = "F16";
  return meta;
}

net::awaitable<void> Server::models(Request& request) {
  json::object model;
  model["id"] = options_.model;
  model["object"] = "model";
  model["owned_by"] = "llamacpp";
  model["meta"] = meta();
  json::object name;
  name["name"] = options_.model;
  name["model"] = options_.model;
  json::object body;
  body["models"] = json::array({name});
  body["object"] = "list";
  body["data"] = json::array({model});
  co_await answer(request.incoming, 200, body);
}

// At a slot action the main loop answers nothing else before that ends.
net::awaitable<void> Server::main_loop_free() {
  while (action_running_ > 0) {
    net::Signal later(loop_);
    co_await later.wait_until(loop_.now() + scaled(0.01));
  }
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
  co_await main_loop_free();
  slots_.next_task();
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
  last_result_ = loop_.now();
  co_await answer(request.incoming, 200, body);
}

net::awaitable<void> Server::lora(Request& request) {
  co_await main_loop_free();
  slots_.next_task();
  json::array body;
  for (auto const& adapter : options_.lora_adapters) {
    json::object one;
    one["id"] = body.size();
    one["path"] = adapter.path;
    one["scale"] = adapter.scale;
    one["task_name"] = "";
    one["prompt_prefix"] = "";
    body.push_back(one);
  }
  last_result_ = loop_.now();
  co_await answer(request.incoming, 200, body);
}

// Tokens and templates: the model is needed, but none of its slots.
net::awaitable<void> Server::text_call(Request& request) {
  auto const& path = request.target.path;
  json::object body;
  if (path == "/tokenize") {
    auto const* content = request.body.if_contains("content");
    auto const text = content != nullptr && content->is_string()
                          ? std::string(content->get_string())
                          : std::string();
    json::array tokens;
    for (auto const token : tokenize(text)) tokens.emplace_back(token);
    body["tokens"] = tokens;
  } else if (path == "/apply-template") {
    body["prompt"] = render(request.body);
  } else if (path == "/v1/messages/count_tokens") {
    body["input_tokens"] = tokenize(render(request.body)).size();
  } else {
    co_await refuse(request.incoming, 501,
                    "This server does not support embeddings. Start it with `--embeddings`",
                    "not_supported_error");
    co_return;
  }
  co_await answer(request.incoming, 200, body);
}

}  // namespace slotswap::llama_sim
