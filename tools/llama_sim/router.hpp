// One life of a simulated router: llama-server without a model, which loads and unloads models on
// demand. A child is a Server that does not listen. Loop thread.
#pragma once

#include "llama_sim/proxied.hpp"
#include "llama_sim/server.hpp"

#include <deque>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace slotswap::llama_sim {

class Router : public Front {
 public:
  Router(World world, Options options);

  void end() override;
  bool quiet() const override;
  void fall_asleep() override;
  void ordered(Fault fault) override;

  bool quiet(std::string const& id) const;
  void fall_asleep(std::string const& id);
  /// As kill -9 of the child; seen by the router a little later.
  void kill(std::string const& id);
  /// As GET /models tells it; empty for a model that it does not know.
  std::string status(std::string const& id) const;

  net::awaitable<void> dispatch(Request& request) override;

 private:
  enum class State { unloaded, loading, loaded };
  struct Model {
    explicit Model(RouterModel spec_) : spec(std::move(spec_)) {}
    RouterModel spec;
    State state = State::unloaded;
    bool stopping = false;  // told to end; shown as before until it is gone
    bool dead = false;      // which the router has not seen yet
    bool failed = false;    // in its last life
    bool slept = false;     // as far as the events tell
    std::uint64_t loads = 0;
    std::uint64_t failed_loads = 0;
    std::uint64_t last_use = 0;
    int wanted = 0;  // requests that are in it or wait for it
    std::unique_ptr<Server> child;
    std::set<std::shared_ptr<Proxied>> requests;
  };
  struct Listener {
    explicit Listener(net::Loop& loop) : signal(loop) {}
    net::Signal signal;
    std::string waiting;
    bool dropped = false;
  };

  std::string model_of(Request const& request) const override;
  bool closes_after(int status) const override { return status >= 400; }

  // router.cpp
  net::awaitable<void> own_call(Request& request);
  net::awaitable<void> proxy(Request& request);
  net::awaitable<void> forward(Request& request, Model& model);
  net::awaitable<void> run_child(std::shared_ptr<Proxied> proxied, Request request, Server* child);
  net::awaitable<void> answer_with_success(Request& request);
  net::awaitable<void> props(Request& request);
  net::awaitable<void> load(Request& request);
  net::awaitable<void> unload(Request& request);
  /// False: the request was answered, or its client left.
  net::awaitable<bool> wait_until_running(Request& request, Model& model);
  net::awaitable<void> tick();

  // router_models.cpp
  Model* find(std::string const& name) const;
  Options options_of(Model const& model) const;
  bool room() const;
  /// The least recently used one that is idle; null when there is none.
  Model* victim() const;
  /// Gives room to those that wait for it, in their order.
  void make_room();
  void queue(Model& model);
  void begin_load(Model& model);
  void begin_stop(Model& model);
  net::awaitable<void> run_load(Model* model);
  net::awaitable<void> run_stop(Model* model);
  net::awaitable<void> run_crash(Model* model);
  void bring_up(Model& model);
  void crash(Model& model);
  void gone(Model& model, bool failed);
  void cut_requests(Model& model);
  net::awaitable<void> watch_sleep();
  void look_for_sleep(Model& model);
  void woke(Model& model);

  // router_facts.cpp
  std::string status(Model const& model) const;
  boost::json::object entry(Model const& model) const;
  net::awaitable<void> list(Request& request);
  net::awaitable<void> events(Request& request);
  void tell(std::string const& model, char const* event, boost::json::object data);
  void tell_status(Model const& model, char const* status);
  void tell_loading(Model const& model, double progress);
  void tell_loaded(Model const& model);
  void drop_events();

  std::vector<std::unique_ptr<Model>> models_;
  std::deque<Model*> queue_;
  Model* leaving_ = nullptr;  // evicted for the first of the queue
  std::uint64_t uses_ = 0;
  bool ended_ = false;
  std::set<std::shared_ptr<Listener>> listeners_;
  /// Their last coroutines may still be on their way out.
  std::vector<std::unique_ptr<Server>> past_;
  net::TaskGroup tasks_;
};

}  // namespace slotswap::llama_sim
