#include "llama_sim/sim.hpp"

#include "llama_sim/router.hpp"

#include <future>
#include <stdexcept>
#include <utility>

namespace slotswap::llama_sim {

Sim::Sim(Options options) : options_(std::move(options)) {
  thread_ = std::thread([this] { loop_.run(); });
  on_loop([this] { begin(); });
  if (!failure_.empty()) {
    loop_.stop();
    thread_.join();
    throw std::runtime_error(failure_);
  }
}

Sim::~Sim() {
  on_loop([this] { die(); });
  loop_.stop();
  thread_.join();
}

void Sim::on_loop(std::function<void()> work) {
  std::promise<void> done;
  loop_.post([&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

void Sim::begin() {
  World const world(loop_, book_, faults_, hold_);
  if (options_.router_models.empty()) {
    server_ = std::make_unique<Server>(world, options_, [this] { die(); });
  } else {
    server_ = std::make_unique<Router>(world, options_);
  }
  auto const listening = server_->listen();
  if (listening.has_error()) {
    failure_ = listening.error().detail;
    server_.reset();
    return;
  }
  port_ = server_->port();
  options_.port = port_;
}

void Sim::die() {
  if (!server_) return;
  server_->end();
  past_.push_back(std::move(server_));
}

Book Sim::book() {
  Book copy;
  on_loop([&] { copy = book_; });
  return copy;
}

void Sim::order(Fault fault, int times) {
  on_loop([&] {
    faults_[fault] += times;
    if (server_) server_->ordered(fault);
  });
}

void Sim::hold(Hold where) {
  on_loop([&] { hold_ = where; });
}

void Sim::fall_asleep() {
  while (!idle()) std::this_thread::yield();
  on_loop([this] {
    if (server_) server_->fall_asleep();
  });
}

Router* Sim::router() {
  return dynamic_cast<Router*>(server_.get());
}

void Sim::fall_asleep(std::string const& model) {
  auto const busy = [&] {
    auto result = false;
    on_loop([&] { result = router() != nullptr && !router()->quiet(model); });
    return result;
  };
  while (busy()) std::this_thread::yield();
  on_loop([&] {
    if (router() != nullptr) router()->fall_asleep(model);
  });
}

void Sim::kill_model(std::string const& model) {
  on_loop([&] {
    if (router() != nullptr) router()->kill(model);
  });
}

std::string Sim::model_status(std::string const& model) {
  std::string result;
  on_loop([&] {
    if (router() != nullptr) result = router()->status(model);
  });
  return result;
}

void Sim::kill() {
  on_loop([this] { die(); });
}

void Sim::start_again(std::function<void(Options&)> changed) {
  on_loop([&] {
    die();
    if (changed) changed(options_);
    begin();
  });
  if (!failure_.empty()) throw std::runtime_error(failure_);
}

bool Sim::alive() {
  bool result = false;
  on_loop([&] { result = server_ != nullptr; });
  return result;
}

bool Sim::idle() {
  bool result = true;
  on_loop([&] { result = !server_ || server_->quiet(); });
  return result;
}

}  // namespace slotswap::llama_sim
