// Which models a router runs: who has to go, who comes, who dies.
#include "llama_sim/router.hpp"

#include <algorithm>

namespace slotswap::llama_sim {

namespace {

constexpr double hanging_load_seconds = 60;
constexpr double stop_seconds_at_best = 0.012;
constexpr double sleep_look_seconds = 0.05;

}  // namespace

Router::Model* Router::find(std::string const& name) const {
  for (auto const& model : models_) {
    auto const& aliases = model->spec.aliases;
    auto const alias = std::find(aliases.begin(), aliases.end(), name) != aliases.end();
    if (alias || model->spec.id == name) return model.get();
  }
  return nullptr;
}

Options Router::options_of(Model const& model) const {
  auto options = options_;
  auto const& spec = model.spec;
  options.router_models.clear();
  options.api_key.clear();
  options.model = spec.id;
  options.model_path = spec.model_path;
  options.bytes_per_token = spec.bytes_per_token.value_or(options_.bytes_per_token);
  options.decode_tps = spec.decode_tps.value_or(options_.decode_tps);
  options.sleep_idle_seconds = spec.sleep_idle_seconds.value_or(options_.sleep_idle_seconds);
  return options;
}

bool Router::room() const {
  auto const running = std::count_if(models_.begin(), models_.end(), [](auto const& model) {
    return model->state != State::unloaded;
  });
  return options_.models_max <= 0 || running < options_.models_max;
}

Router::Model* Router::victim() const {
  Model* found = nullptr;
  for (auto const& model : models_) {
    auto const idle = model->state == State::loaded && !model->stopping && model->wanted == 0;
    if (idle && (found == nullptr || model->last_use < found->last_use)) found = model.get();
  }
  return found;
}

void Router::queue(Model& model) {
  if (std::find(queue_.begin(), queue_.end(), &model) == queue_.end()) queue_.push_back(&model);
  make_room();
}

void Router::make_room() {
  while (!queue_.empty() && !ended_) {
    if (room()) {
      auto* const next = queue_.front();
      queue_.pop_front();
      leaving_ = nullptr;
      if (next->state == State::unloaded) begin_load(*next);
      continue;
    }
    if (leaving_ != nullptr && leaving_->stopping) return;
    leaving_ = victim();
    if (leaving_ == nullptr) return;
    book_.evictions.push_back(leaving_->spec.id);
    begin_stop(*leaving_);
  }
}

void Router::begin_load(Model& model) {
  book_.loads.push_back(model.spec.id);
  ++model.loads;
  model.state = State::loading;
  model.last_use = ++uses_;
  tell_status(model, nullptr);
  tell_loading(model, 0);
  tasks_.spawn("llama-sim: load", run_load(&model));
}

net::awaitable<void> Router::run_load(Model* model) {
  auto const fails = model->spec.broken || take_fault(Fault::load_fails);
  auto const hangs = take_fault(Fault::load_hangs);
  auto const seconds =
      hangs ? hanging_load_seconds : model->spec.load_seconds.value_or(options_.load_seconds);
  auto const until = loop_.now() + scaled(seconds);
  while (loop_.now() < until && !model->stopping && !model->dead && !ended_) co_await tick();
  if (ended_) co_return;
  if (!fails && !model->stopping && !model->dead) co_return bring_up(*model);
  ++model->failed_loads;
  gone(*model, true);
}

void Router::bring_up(Model& model) {
  auto options = options_of(model);
  auto* const named = &model;
  model.child =
      std::make_unique<Server>(world_, std::move(options), [this, named] { crash(*named); });
  model.child->on_wake([this, named] { woke(*named); });
  model.state = State::loaded;
  model.failed = model.slept = false;
  tell_loading(model, 1);
  tell_loaded(model);
}

void Router::begin_stop(Model& model) {
  if (model.stopping) return;
  model.stopping = true;
  if (model.state == State::loading) return;  // its load sees it
  model.child->freeze();
  tasks_.spawn("llama-sim: stop", run_stop(&model));
}

net::awaitable<void> Router::run_stop(Model* model) {
  auto const hangs = take_fault(Fault::unload_hangs);
  auto const soonest = loop_.now() + scaled(stop_seconds_at_best);
  auto const latest = loop_.now() + scaled(options_.stop_seconds);
  while (!ended_ && !model->dead && loop_.now() < latest) {
    if (!hangs && model->requests.empty() && loop_.now() >= soonest) break;
    co_await tick();
  }
  if (ended_ || model->dead) co_return;
  auto const killed = hangs || !model->requests.empty();
  gone(*model, killed);
}

void Router::kill(std::string const& id) {
  auto* const model = find(id);
  if (model == nullptr || model->state == State::unloaded) return;
  if (model->state == State::loading) {
    model->dead = true;
  } else {
    crash(*model);
  }
}

void Router::crash(Model& model) {
  if (model.dead || model.state != State::loaded) return;
  model.dead = true;
  cut_requests(model);
  tasks_.spawn("llama-sim: crash", run_crash(&model));
}

net::awaitable<void> Router::run_crash(Model* model) {
  auto const until = loop_.now() + scaled(options_.crash_seconds);
  while (loop_.now() < until && !ended_) co_await tick();
  if (!ended_) gone(*model, true);
}

void Router::cut_requests(Model& model) {
  // Each leaves the set when its handler goes on.
  for (auto const& request : model.requests) request->cut();
}

void Router::gone(Model& model, bool failed) {
  cut_requests(model);
  if (model.child) past_.push_back(std::move(model.child));
  model.state = State::unloaded;
  model.stopping = model.dead = model.slept = false;
  model.failed = failed;
  tell_status(model, "unloaded");
  make_room();
}

void Router::look_for_sleep(Model& model) {
  if (model.state != State::loaded || model.dead || model.slept || !model.child->asleep()) return;
  model.slept = true;
  tell_status(model, "sleeping");
}

void Router::woke(Model& model) {
  if (!model.slept) tell_status(model, "sleeping");
  model.slept = false;
  tell_loading(model, 0);
  tell_loading(model, 1);
  tell_status(model, "loaded");
}

net::awaitable<void> Router::watch_sleep() {
  while (!ended_) {
    net::Signal never(loop_);
    co_await never.wait_until(loop_.now() + scaled(sleep_look_seconds) +
                              std::chrono::milliseconds(1));
    for (auto const& model : models_) look_for_sleep(*model);
  }
}

void Router::fall_asleep(std::string const& id) {
  auto* const model = find(id);
  if (model == nullptr || !model->child) return;
  model->child->fall_asleep();
  look_for_sleep(*model);
}

void Router::fall_asleep() {
  for (auto const& model : models_) fall_asleep(model->spec.id);
}

}  // namespace slotswap::llama_sim
