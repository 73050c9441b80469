// A simulated llama-server in a thread of its own. Every public call may come from any thread and
// blocks until it is done.
#pragma once

#include "llama_sim/book.hpp"
#include "llama_sim/options.hpp"

#include <slotswap/net/loop.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace slotswap::llama_sim {

class Front;
class Router;

class Sim {
 public:
  /// Listens when it returns; throws std::runtime_error when it cannot.
  explicit Sim(Options options);
  ~Sim();
  Sim(Sim const&) = delete;
  Sim& operator=(Sim const&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  Book book();
  void order(Fault fault, int times = 1);
  /// For the completions under way and those to come, in this life and the next; a client that
  /// leaves one is noticed all the same. Hold::nowhere lets them go.
  void hold(Hold where);
  /// As when its idle time was over; waits for the work under way.
  void fall_asleep();
  /// Of a router, one model only.
  void fall_asleep(std::string const& model);
  /// Of a router: as kill -9 does to the model's process. The router notices after crash_seconds.
  void kill_model(std::string const& model);
  /// Of a router, as GET /models tells it, without a call.
  std::string model_status(std::string const& model);
  /// As kill -9 does: every connection is reset, the slot is gone.
  void kill();
  /// On the same port, as another process; `changed` may alter the options.
  void start_again(std::function<void(Options&)> changed = nullptr);
  bool alive();
  bool idle();  // no completion runs or waits

 private:
  void on_loop(std::function<void()> work);
  void begin();
  void die();
  Router* router();

  Options options_;
  std::uint16_t port_ = 0;
  Book book_;
  std::map<Fault, int> faults_;
  Hold hold_ = Hold::nowhere;
  std::string failure_;
  net::Loop loop_;
  std::vector<std::unique_ptr<Front>> past_;  // their last coroutines may still be on their way out
  std::unique_ptr<Front> server_;
  std::thread thread_;
};

}  // namespace slotswap::llama_sim
