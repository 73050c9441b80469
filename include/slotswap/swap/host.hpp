// One server, or one model of a router, as far as its slots are concerned: what it is (first
// contact, and again after a reconnect), whether swapping works there, and the way in for every
// request that runs in one of its slots. Loop thread.
#pragma once

#include <slotswap/config/config.hpp>
#include <slotswap/llama/server.hpp>
#include <slotswap/net/loop.hpp>
#include <slotswap/swap/cancel.hpp>
#include <slotswap/swap/facts.hpp>
#include <slotswap/swap/keeper.hpp>
#include <slotswap/swap/vault.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace slotswap::swap {

/// What a request wants of a server.
enum class Need {
  nothing,  // answered by a router itself
  model,    // a router loads its model for it, but no slot is touched: tokenizing, GET ?model=
  slot,
  load,    // POST /models/load
  unload,  // POST /models/unload
};

struct Visitor {
  Visitor() = default;
  Need need = Need::slot;
  std::string model;     // as it is named to the server; empty: not named
  bool may_load = true;  // false: autoload=false in its query
  std::string route;
  /// The route's; none: it only relays, but its server has a slot that others swap.
  config::Slots const* settings = nullptr;
  /// The session's id (session::state_id, anonymous_id or isolated_id); none: not keyed.
  std::optional<std::string> session;
  bool savable = true;
  /// The first request of its session, and a short one: where the session is in no slot and could
  /// not be restored it is not savable either.
  bool small = false;
  /// It should run in another slot than this session's, where there is another one.
  bool elsewhere = false;
  std::string not_with;
  std::string prompt_digest;
  config::Queueing queue;
  std::string client;  // whose it is, for taking turns; empty: not known
  /// It cannot be told in which slot it runs: where there are several it needs all of them.
  bool whole = false;
  /// Called when its turn has come, before any slot work.
  std::function<void()> on_turn;
};

struct Admission {
  Admission() = default;
  /// On a router, as long as the request runs: its model is no victim. Ends after the lease.
  std::shared_ptr<void> use;
  /// None where the server is not swapped: nothing to wait for.
  std::unique_ptr<Lease> lease;
  /// To be told the status of the answer; empty: nobody has to be.
  std::function<void(int)> answered;
  base::Duration waited{};  // for the model to be loaded, and for room for it
  std::string skipped;      // why a request with a session was not managed
};

/// A route with slots.
struct SlotRoute {
  SlotRoute(std::string name_, std::string models_, config::Slots slots_)
      : name(std::move(name_)), models(std::move(models_)), slots(std::move(slots_)) {}
  std::string name;
  std::string models;  // as the server names them: a glob
  config::Slots slots;
};

struct HostSettings {
  HostSettings() = default;
  std::string name;               // of the server in the configuration
  std::string model;              // on a router: whose slot it is; else empty
  config::Slots slots;            // of the server's first route with slots
  std::vector<SlotRoute> routes;  // of its routes those that have slots, in their order
  /// What its states are told by from those that others save into the same folder, where others
  /// do; else empty.
  std::string folder_name;
  /// The build that was found not to pass slot actions on; one for all models of a router.
  std::shared_ptr<std::string> too_old = std::make_shared<std::string>();
  std::uint64_t max_folder_bytes = 0;
  KeeperTimes times;
  std::shared_ptr<Pool> pool;  // that its slots join; null: one of its own
};

class Host {
 public:
  Host(net::Loop& loop, net::TaskGroup& tasks, llama::Server& server, Vault& vault,
       HostSettings settings);

  /// Faults: client_gone, shutting_down. Everything else is only slower.
  net::awaitable<base::Result<Admission>> admit(Visitor visitor, Cancel& cancel);

  // For a line in front of several servers.
  /// Asks what it is, where that is not known; the fault where it could not be reached.
  net::awaitable<std::optional<base::Fault>> meet();
  bool swappable() const { return standing_ == Standing::swappable; }
  bool several() const { return keepers_.size() > 1; }
  std::vector<std::size_t> seats() const;
  Pool& pool() const { return *pool_; }
  /// What it waits for at its slots; `session` empty: none.
  Wish wish_of(Visitor const& visitor, std::string session) const;
  static base::Fault closing();
  static base::Fault given_up();
  /// admit() with a turn at one of its slots, waited for since `entered`.
  net::awaitable<base::Result<Admission>> enter(Visitor visitor, std::unique_ptr<Turn> turn,
                                                base::TimePoint entered, Cancel& cancel);
  /// While it is, nothing is saved there and no request gets a slot that can have another one.
  void set_aside(bool aside);
  /// The session runs on another server from now on.
  void moved_away(std::string const& id);

  /// Looks whether the slot still holds what the last run of slotswap noted; never wakes a server.
  net::awaitable<void> resume();

  /// Removes a session's state, in the slot and on disk; whether there was any. Faults: "not_known"
  /// (which model's it would be).
  net::awaitable<base::Result<bool>> forget(std::string id);

  /// A connection to it failed or broke: what it is has to be asked again.
  void lost();
  /// When it was last asked it was one: its models have the slots.
  bool is_router() const { return standing_ == Standing::router; }

  // On a router, as it says so.
  /// The model's process ended.
  void ended();
  /// It dropped its model and the slot's content, and stays the same process.
  void slept();
  /// Saves what is worth it and keeps everybody out while the turn lives, so that the model can be
  /// unloaded. None: others use a slot, or `cancel` (null: never) came first.
  net::awaitable<std::unique_ptr<Turn>> vacate(Cancel* cancel);

  void close();
  net::awaitable<void> drain();
  Vault const& vault() const { return vault_; }
  /// Of the first slot, or of the one at this place of `ids`.
  Keeper const& keeper(std::size_t place = 0) const { return *keepers_.at(place); }
  std::string const& model() const { return model_; }

 private:
  enum class Standing { unknown, swappable, off, router };

  // host_admit.cpp
  Order order_for(Visitor& visitor, Admission& admission) const;
  net::awaitable<base::Result<Admission>> take(Visitor visitor, Order order, Admission admission,
                                               std::unique_ptr<Turn> turn, base::TimePoint entered,
                                               Cancel& cancel);
  Keeper& keeper_at(std::size_t seat);

  net::awaitable<void> contact(bool may_wake = true);
  net::awaitable<void> look_closer(llama::Props props);
  net::awaitable<bool> read_facts(llama::Props props);
  bool suits(llama::Props const& props);
  void resume_slot(Keeper& keeper, std::vector<llama::SlotLook> const& slots);
  void say_ready();
  Fit const& fit(std::string const& route_text);
  net::awaitable<std::optional<bool>> alive(bool for_request);
  void refuse(std::string flag, std::string words);
  void refused_call(std::string const& words);
  void too_old();
  std::string full_name() const;
  void warn_once(std::string reason, std::string words);
  std::string tag() const;
  KeeperEnvironment environment();

  net::Loop& loop_;
  net::TaskGroup& tasks_;
  llama::Server& server_;
  Vault& vault_;
  HostSettings settings_;

  Standing standing_ = Standing::unknown;
  std::string why_off_;
  std::optional<base::Fault> unreachable_;  // what the last contact came to, where it was that
  ServerFacts facts_;
  std::map<std::string, Fit> fits_;  // of them, by the route's text
  std::string marker_;
  std::uint64_t restarts_ = 0;  // another process was met
  std::string model_;
  bool contacting_ = false;
  std::set<net::Signal*> waiting_for_contact_;
  std::set<std::string> warned_;
  std::shared_ptr<Pool> pool_;
  std::vector<std::unique_ptr<Keeper>> keepers_;  // as `ids`
};

}  // namespace slotswap::swap
