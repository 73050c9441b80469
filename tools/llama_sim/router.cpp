#include "llama_sim/router.hpp"

#include <utility>

namespace slotswap::llama_sim {

namespace json = boost::json;

namespace {

constexpr auto no_connection = "proxy error: Could not establish connection";
constexpr auto no_json = "[json.exception.parse_error.101] parse error";

}  // namespace

Router::Router(World world, Options options) : Front(world, std::move(options)), tasks_(loop_) {
  auto sleepy = options_.sleep_idle_seconds > 0;
  for (auto const& spec : options_.router_models) {
    models_.push_back(std::make_unique<Model>(spec));
    sleepy = sleepy || spec.sleep_idle_seconds.value_or(0) > 0;
  }
  if (sleepy) tasks_.spawn("llama-sim: sleep", watch_sleep());
}

void Router::end() {
  ended_ = true;
  drop_events();
  for (auto const& model : models_) cut_requests(*model);
  Front::end();
}

bool Router::quiet() const {
  for (auto const& model : models_) {
    if (!quiet(model->spec.id)) return false;
  }
  return true;
}

bool Router::quiet(std::string const& id) const {
  auto const* model = find(id);
  return model == nullptr || (model->wanted == 0 && (!model->child || model->child->quiet()));
}

std::string Router::model_of(Request const& request) const {
  auto const get = is_get(request.incoming.head());
  auto const name =
      get ? http::query_value(request.target.query, "model").value_or("") : request.text("model");
  auto const* model = find(name);
  return model == nullptr ? std::string() : model->spec.id;
}

// Coarse enough for all that waits here.
net::awaitable<void> Router::tick() {
  net::Signal never(loop_);
  co_await never.wait_until(loop_.now() + scaled(0.005) + std::chrono::microseconds(100));
}

net::awaitable<void> Router::dispatch(Request& request) {
  auto& incoming = request.incoming;
  auto const& path = request.target.path;
  auto const named = http::query_value(request.target.query, "model").value_or("");
  auto const own_props = path == "/props" && named.empty();
  if (!own_props && Server::serves(incoming.head().method, path)) {
    co_await proxy(request);
  } else {
    co_await own_call(request);
  }
}

net::awaitable<void> Router::own_call(Request& request) {
  auto& incoming = request.incoming;
  auto const& path = request.target.path;
  auto const get = is_get(incoming.head());
  auto const post = incoming.head().method == "POST";
  if (incoming.head().method == "OPTIONS") {
    co_await answer_options(incoming);
  } else if (get && (path == "/health" || path == "/v1/health")) {
    co_await answer_health(incoming);
  } else if (get && path == "/props") {
    co_await props(request);
  } else if (get && (path == "/models" || path == "/v1/models")) {
    co_await list(request);
  } else if (get && path == "/models/sse" && options_.model_events) {
    co_await events(request);
  } else if (post && path == "/models/load") {
    co_await load(request);
  } else if (post && path == "/models/unload") {
    co_await unload(request);
  } else {
    co_await refuse(incoming, 404, "File Not Found", "not_found_error");
  }
}

net::awaitable<void> Router::props(Request& request) {
  if (take_fault(Fault::props_error)) {
    co_return co_await refuse(request.incoming, 500, "no props today", "server_error");
  }
  json::object settings;
  settings["params"] = nullptr;
  settings["n_ctx"] = 0;
  json::object body;
  body["role"] = "router";
  if (options_.tells_max_instances) body["max_instances"] = options_.models_max;
  body["models_autoload"] = options_.models_autoload;
  body["model_alias"] = "llama-server";
  body["model_path"] = "none";
  body["default_generation_settings"] = settings;
  body["build_info"] = "b11669-sim";
  co_await answer(request.incoming, 200, body);
}

net::awaitable<void> Router::answer_with_success(Request& request) {
  json::object body;
  body["success"] = true;
  co_await answer(request.incoming, 200, body);
}

net::awaitable<void> Router::load(Request& request) {
  auto& incoming = request.incoming;
  if (!request.readable) co_return co_await refuse(incoming, 400, no_json, "invalid_request_error");
  auto* const model = find(request.text("model"));
  if (model == nullptr) {
    co_return co_await refuse(incoming, 404, "File Not Found", "not_found_error");
  }
  if (model->state != State::unloaded) {
    co_return co_await refuse(incoming, 400, "model is already running", "invalid_request_error");
  }
  if (!room() && victim() == nullptr) {
    co_return co_await refuse(incoming, 500, "model limit reached, try again later",
                              "server_error");
  }
  auto const before = model->loads;
  ++model->wanted;
  queue(*model);
  while (model->loads == before && !ended_) co_await tick();
  --model->wanted;
  make_room();
  co_await answer_with_success(request);
}

net::awaitable<void> Router::unload(Request& request) {
  auto& incoming = request.incoming;
  if (!request.readable) co_return co_await refuse(incoming, 400, no_json, "invalid_request_error");
  auto* const model = find(request.text("model"));
  if (model == nullptr) {
    co_return co_await refuse(incoming, 400, "model is not found", "invalid_request_error");
  }
  if (model->state == State::unloaded) {
    co_return co_await refuse(incoming, 400, "model is not running", "invalid_request_error");
  }
  book_.unloads.push_back(model->spec.id);
  begin_stop(*model);
  co_await answer_with_success(request);
}

net::awaitable<void> Router::proxy(Request& request) {
  auto& incoming = request.incoming;
  auto const get = is_get(incoming.head());
  if (!get && !request.readable) {
    co_return co_await refuse(incoming, 400, no_json, "invalid_request_error");
  }
  auto const name =
      get ? http::query_value(request.target.query, "model").value_or("") : request.text("model");
  if (name.empty()) {
    co_return co_await refuse(incoming, 400, "model name is missing from the request",
                              "invalid_request_error");
  }
  auto* const model = find(name);
  if (model == nullptr) {
    co_return co_await refuse(incoming, 400, "model '" + name + "' not found",
                              "invalid_request_error");
  }
  auto const wish = http::query_value(request.target.query, "autoload").value_or("");
  auto const no = wish == "false" || wish == "0";
  auto const autoload = wish.empty() ? options_.models_autoload : !no;
  if (!autoload && model->state == State::unloaded) {
    co_return co_await refuse(incoming, 400, "model is not loaded", "invalid_request_error");
  }
  ++model->wanted;
  auto running = true;
  if (autoload) running = co_await wait_until_running(request, *model);
  if (running) co_await forward(request, *model);
  if (--model->wanted == 0) std::erase(queue_, model);
  make_room();
}

net::awaitable<bool> Router::wait_until_running(Request& request, Model& model) {
  auto const failures = model.failed_loads;
  while (model.state != State::loaded || model.stopping) {
    if (request.incoming.gone() || ended_) co_return false;
    if (model.failed_loads > failures) {
      co_await refuse(request.incoming, 500, "model name=" + model.spec.id + " failed to load",
                      "server_error");
      co_return false;
    }
    if (model.state == State::unloaded) queue(model);
    co_await tick();
  }
  co_return true;
}

net::awaitable<void> Router::forward(Request& request, Model& model) {
  if (!is_get(request.incoming.head())) model.last_use = ++uses_;
  if (model.state != State::loaded || model.stopping || model.dead) {
    co_return co_await answer_broken(request.incoming, no_connection);
  }
  auto const proxied = std::make_shared<Proxied>(loop_, request.incoming);
  Request inner(*proxied, request);
  model.requests.insert(proxied);
  auto* const child = model.child.get();
  tasks_.spawn("llama-sim: child", run_child(proxied, std::move(inner), child));
  co_await proxied->pass_on(request.incoming);
  model.requests.erase(proxied);
}

net::awaitable<void> Router::run_child(std::shared_ptr<Proxied> proxied, Request request,
                                       Server* child) {
  co_await child->dispatch(request);
  proxied->returned();
}

}  // namespace slotswap::llama_sim
