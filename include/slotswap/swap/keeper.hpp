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
#include <utility>

namespace slotswap::swap {

/// What a request wants of the slot.
struct Order {
  Order() = default;
  slots::Goal::Kind kind = slots::Goal::Kind::hands_off;
  store::StateKey key;  // kind session: the id; the keeper adds the tag when its turn has come
  bool savable = true;
  std::string model;  // as the server names it, for the manifest
  std::string route;
  std::string prompt_digest;
  config::Slots settings;
};

/// How the settings of a route want its states kept.
Keeping keeping_of(config::Slots const& settings, std::uint64_t max_folder_bytes);

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
  KeeperEnvironment(net::Loop& loop_, net::TaskGroup& tasks_, llama::Server& server_)
      : loop(loop_), tasks(tasks_), server(server_) {}
  net::Loop& loop;
  net::TaskGroup& tasks;
  llama::Server& server;
  std::string server_name;  // in the log and the state file; of a router with the model's
  std::string folder_user;  // the server's name in the configuration
  std::uint64_t max_folder_bytes = 0;
  /// Asks for /props. No answer: none; else whether the slot's content can still be there (neither
  /// asleep nor another process).
  std::function<net::awaitable<std::optional<bool>>(bool for_request)> alive;
  /// Another process was met since the last call: what the slot held is gone.
  std::function<bool()> restarted;
  /// The model that is served now and the tag of its states.
  std::function<std::string()> model;
  std::function<std::string()> tag;
  /// What the server is now, with the route's own fingerprint text.
  std::function<Fit(std::string const&)> fit;
  /// media_marker of its process; empty: not known.
  std::function<std::string()> marker;
  /// The server ended a connection or could not be reached.
  std::function<void()> lost;
  /// It refused a slot call with these words.
  std::function<void(std::string const&)> refused;
};

class Keeper;

/// A turn at the slot: given back when it is dropped, whatever happened meanwhile.
class Turn {
 public:
  Turn(Keeper& keeper, slots::Ticket ticket) : keeper_(&keeper), ticket_(ticket) {}
  Turn(Turn&& other) noexcept
      : keeper_(std::exchange(other.keeper_, nullptr)), ticket_(other.ticket_) {}
  Turn& operator=(Turn&&) = delete;
  ~Turn();

 private:
  Keeper* keeper_;
  slots::Ticket ticket_;
};

/// The right to send one request to the slot. Ends with finish(), or as broken when it is dropped.
class Lease {
 public:
  Lease(Keeper& keeper, Turn turn, Order order, Vault& vault);
  ~Lease();
  Lease(Lease const&) = delete;
  Lease& operator=(Lease const&) = delete;

  void finish(slots::Outcome outcome);
  Swapped swapped;

 private:
  Keeper* keeper_;
  Turn turn_;
  Order order_;
  Vault& vault_;
};

class Keeper {
 public:
  Keeper(KeeperEnvironment environment, int slot_id, KeeperTimes times);

  /// Waits for the turn and prepares the slot. Faults: client_gone (cancelled), shutting_down.
  net::awaitable<base::Result<std::unique_ptr<Lease>>> acquire(Order order, Vault& vault,
                                                               Cancel& cancel);

  /// Requests that wait are turned away, and later ones.
  void close();
  /// Waits for the owner, then saves what is worth it.
  net::awaitable<void> drain();

  /// Saves what is worth it and keeps everybody out while the turn lives, so that the model can be
  /// unloaded. None: others use the slot, or `cancel` (null: never) came first.
  net::awaitable<std::unique_ptr<Turn>> vacate(Cancel* cancel);
  /// The model's process ended, or dropped its model: nothing is in the slot any more.
  void emptied(Vault& vault);

  /// What the last run of slotswap noted, which the server still shows. Nothing ran in the slot
  /// since.
  void resume(Order order, Vault& vault, store::SlotRecord const& record);
  /// Whether any request was here yet.
  bool untouched() const { return last_ticket_ == 0; }
  /// What the slot holds of this session is not saved any more; whether it held any.
  bool forget(std::string const& id, Vault& vault);

  slots::Slot const& slot() const { return slot_; }
  bool free() const { return queue_.free(); }
  std::size_t waiting() const { return queue_.waiting(); }

 private:
  friend class Lease;
  friend class Turn;
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
  net::awaitable<slots::Note> prepare(Order const& order, Vault& vault, base::Duration patience,
                                      Cancel& cancel, Swapped& swapped);
  net::awaitable<slots::Event> perform(slots::Action action, Order const& order, Vault& vault,
                                       Cancel& cancel);
  net::awaitable<slots::Event> look(base::Duration timeout);
  net::awaitable<slots::Event> save(Order const& order);
  net::awaitable<base::Result<llama::Restored>> call_restore(std::string file,
                                                             base::Duration timeout);
  net::awaitable<slots::Event> restore(Order const& order, Vault& vault);
  void judge_failure(base::Fault const& fault, store::Manifest const& state, Fit const& fit,
                     Vault& vault);
  net::awaitable<slots::Event> erase(Order const& order, Vault& vault);
  net::awaitable<void> settle(Turn turn, Order order, Vault& vault, slots::Outcome outcome);
  net::awaitable<slots::Note> save_resident(base::Duration patience);
  net::awaitable<void> save_now(bool last);
  bool within_allowance(Resident const& who);
  net::awaitable<void> watch_idle();
  void hand_over(Vault& vault);
  void note_slot(Vault& vault);
  std::optional<store::SlotRecord> record() const;
  void say_unknown(bool before, std::string const& why) const;
  void fit(Order& order) const;
  bool offered(Order const& order, Vault const& vault) const;
  void say_missing(Order const& order, Vault const& vault) const;
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
      residents_;               // by key: the one in the slot, and one whose request was cancelled
  std::string owner_;           // key of the session whose request is under way
  bool owner_deleted_ = false;  // while it was
  bool forgotten_ = false;      // what the slot held, since its save began
  bool said_allowance_ = false;

  net::Signal idle_changed_;
  base::TimePoint idle_at_ = base::TimePoint::max();
  bool idle_watch_running_ = false;
  bool idle_save_tried_ = false;
};

}  // namespace slotswap::swap
