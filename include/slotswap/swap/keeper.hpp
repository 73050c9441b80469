// One slot and the requests that want it: whose turn it is, what is saved and restored in between,
// what the slot holds after each. A lease lasts from before the swap until the stamp of the
// answer's end is in. Loop thread.
#pragma once

#include <slotswap/config/config.hpp>
#include <slotswap/llama/server.hpp>
#include <slotswap/net/loop.hpp>
#include <slotswap/slots/queue.hpp>
#include <slotswap/slots/slot.hpp>
#include <slotswap/slots/swap_machine.hpp>
#include <slotswap/swap/cancel.hpp>
#include <slotswap/swap/vault.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace slotswap::swap {

/// What a request wants of the slot.
struct Order {
  Order() = default;
  slots::Goal::Kind kind = slots::Goal::Kind::hands_off;
  store::StateKey key;  // kind session
  bool savable = true;
  std::string model;  // as the server names it, for the manifest
  std::string route;
  config::Slots settings;
};

/// What was done to the slot for a request.
struct Swapped {
  Swapped() = default;
  std::string what;  // "", "save", "restore", "save+restore", "save+erase", "erase"
  std::string note;  // why it goes on cold, where it does
  base::Duration waited{};
  base::Duration took{};
};

struct KeeperTimes {
  slots::SwapTimes swap;
  base::Duration stamp{std::chrono::milliseconds(250)};
  base::Duration look{std::chrono::seconds(15)};
};

/// What a keeper asks of the server it belongs to.
struct KeeperEnvironment {
  net::Loop& loop;
  net::TaskGroup& tasks;
  llama::Server& server;
  std::string server_name;
  std::uint64_t max_folder_bytes = 0;
  /// Asks for /props: false when the slot's content is gone (asleep, another process, no answer).
  std::function<net::awaitable<bool>()> alive;
  /// The tag of the model that is served now; another one than an order's means that its states do
  /// not fit.
  std::function<std::string()> tag;
  /// The server ended a connection or could not be reached.
  std::function<void()> lost;
};

class Keeper;

/// The right to send one request to the slot. Ends with finish(), or as broken when it is dropped.
class Lease {
 public:
  Lease(Keeper& keeper, slots::Ticket ticket, Order order, Vault& vault);
  ~Lease();
  Lease(Lease const&) = delete;
  Lease& operator=(Lease const&) = delete;

  void finish(slots::Outcome outcome);
  Swapped swapped;

 private:
  Keeper* keeper_;
  slots::Ticket ticket_;
  Order order_;
  Vault& vault_;
};

class Keeper {
 public:
  Keeper(KeeperEnvironment environment, int slot_id, KeeperTimes times);

  /// Waits for the turn and prepares the slot. Faults: client_gone (cancelled), shutting_down.
  net::awaitable<base::Result<std::unique_ptr<Lease>>> acquire(Order order, Vault& vault,
                                                               Cancel& cancel);

  /// The server's process is another one: what the slot held is gone.
  void emptied();
  /// Requests that wait are turned away, and later ones.
  void close();
  /// Waits for the owner, then saves what is worth it.
  net::awaitable<void> drain();

  slots::Slot const& slot() const { return slot_; }
  std::size_t waiting() const { return queue_.waiting(); }

 private:
  friend class Lease;
  struct Waiter {
    explicit Waiter(net::Loop& loop) : signal(loop) {}
    net::Signal signal;
    bool granted = false;
  };

  /// How a session's state is to be saved: as its own last request asked.
  struct Resident {
    Resident(Order order_, Vault& vault_) : order(std::move(order_)), vault(vault_) {}
    Order order;
    std::reference_wrapper<Vault> vault;
  };

  net::awaitable<bool> wait_turn(slots::Ticket ticket, Cancel* cancel);
  void release(slots::Ticket ticket);
  net::awaitable<void> prepare(Order const& order, Vault& vault, base::Duration patience,
                               Cancel& cancel, Swapped& swapped);
  net::awaitable<slots::Event> perform(slots::Action action, Order const& order, Vault& vault,
                                       Cancel& cancel);
  net::awaitable<slots::Event> look(base::Duration timeout);
  net::awaitable<slots::Event> save(Order const& order);
  net::awaitable<slots::Event> restore(Order const& order, Vault& vault);
  net::awaitable<slots::Event> erase(Order const& order);
  net::awaitable<void> settle(slots::Ticket ticket, Order order, Vault& vault,
                              slots::Outcome outcome);
  net::awaitable<void> save_now(base::Duration patience);
  net::awaitable<void> watch_idle();
  void remember(Order const& order, Vault& vault);
  Resident const* resident() const;
  void arm_idle_save();
  void disarm_idle_save();

  KeeperEnvironment environment_;
  int slot_id_;
  KeeperTimes times_;
  slots::Slot slot_;
  slots::Queue queue_;
  slots::Ticket last_ticket_ = 0;
  std::map<slots::Ticket, Waiter*> waiters_;
  bool closed_ = false;

  std::map<std::string, Resident>
      residents_;  // by key: the one in the slot, and one whose request was cancelled

  net::Signal idle_changed_;
  base::TimePoint idle_at_ = base::TimePoint::max();
  bool idle_watch_running_ = false;
};

}  // namespace slotswap::swap
