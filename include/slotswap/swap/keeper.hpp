// One slot: what is saved and restored before a request may run in it, and what it holds after
// each. A lease lasts from before the swap until the stamp of the answer's end is in. Loop thread.
#pragma once

#include <slotswap/config/config.hpp>
#include <slotswap/llama/server.hpp>
#include <slotswap/net/loop.hpp>
#include <slotswap/slots/slot.hpp>
#include <slotswap/slots/swap_machine.hpp>
#include <slotswap/swap/cancel.hpp>
#include <slotswap/swap/found.hpp>
#include <slotswap/swap/pool.hpp>
#include <slotswap/swap/vault.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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
  std::optional<base::Duration> linger = base::Duration::zero();  // none: by the measured swaps
};

/// How the settings of a route want its states kept.
Keeping keeping_of(config::Slots const& settings, std::uint64_t max_folder_bytes);

/// What was done to the slot for a request.
struct Swapped {
  Swapped() = default;
  std::string what;  // "", "save", "restore", "save+restore", "save+erase", "erase"
  std::string note;  // why it goes on cold, where it does
  Found found = Found::cold;
  base::Duration waited{};
  base::Duration took{};
};

struct KeeperTimes {
  slots::SwapTimes swap;
  base::Duration stamp{std::chrono::milliseconds(250)};
  base::Duration late_stamp{std::chrono::seconds(1)};  // asked for again
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
  /// A look at all of its slots, asked for at `began`.
  std::function<void(std::vector<llama::SlotLook> const&, base::TimePoint began)> looked;
  /// It refused a slot call with these words.
  std::function<void(std::string const&)> refused;
};

class Keeper;

/// The right to send one request to a slot, or to all of a server at once. Ends with finish(), or
/// as broken when it is dropped.
class Lease {
 public:
  Lease(net::TaskGroup& tasks, std::unique_ptr<Turn> turn, Vault& vault);
  ~Lease();
  Lease(Lease const&) = delete;
  Lease& operator=(Lease const&) = delete;

  /// A slot that was prepared for this request, and how.
  void add(Keeper& keeper, Order order, Swapped const& done);

  void finish(slots::Outcome outcome);
  Swapped swapped;
  std::optional<int> slot;  // that the request has to name to the server, which has several
  bool small = false;       // its session is not saved before another request of it

 private:
  using Part = std::pair<Keeper*, Order>;
  static net::awaitable<void> settle(std::unique_ptr<Turn> turn, std::vector<Part> parts,
                                     Vault& vault, slots::Outcome outcome);

  net::TaskGroup& tasks_;
  std::unique_ptr<Turn> turn_;
  Vault& vault_;
  std::vector<Part> parts_;
};

class Keeper {
 public:
  Keeper(KeeperEnvironment environment, Pool& pool, int slot_id, KeeperTimes times);
  Keeper(Keeper const&) = delete;
  Keeper& operator=(Keeper const&) = delete;

  /// Prepares the slot, inside a turn at it; the order is completed by what the server is now.
  /// Fault: client_gone.
  net::awaitable<base::Result<Swapped>> prepare(Order& order, Vault& vault, Cancel& cancel);
  /// After the request has ended.
  net::awaitable<void> settle(Order order, Vault& vault, slots::Outcome outcome);

  /// No more saves in pauses.
  void close();
  /// Waits for the owner, then saves what is worth it.
  net::awaitable<void> drain();

  /// Inside a turn at it: saves what is worth it. False: others use the slot.
  net::awaitable<bool> clear_out();
  /// The model's process ended, or dropped its model: nothing is in the slot any more.
  void emptied(Vault& vault);

  /// What the last run of slotswap noted, which the server still shows. Nothing ran in the slot
  /// since.
  void resume(Order order, Vault& vault, store::SlotRecord const& record);
  /// Whether any request was here yet.
  bool untouched() const { return !touched_; }
  /// What the slot holds of this session is not saved any more; whether it held any.
  bool forget(std::string const& id, Vault& vault);
  /// All slots of its server stood idle, as a look that began then showed: what this one holds is
  /// void where it shows something else, and nobody has it.
  void seen_idle(std::vector<llama::SlotLook> const& slots, base::TimePoint began);
  /// It runs elsewhere from now on: what the slot holds of it is void.
  void moved_away(std::string const& id);
  /// Its server is set aside: nothing is saved there, and what the slot holds is void, also when
  /// the server is back.
  void set_aside(bool aside, Vault& vault);

  slots::Slot const& slot() const { return slot_; }
  int slot_id() const { return slot_id_; }
  std::size_t seat() const { return seat_; }
  bool free() const { return pool_.free(seat_); }
  std::size_t waiting() const { return pool_.waiting(seat_); }

 private:
  /// How a session's state is to be saved: as its own last request asked.
  struct Resident {
    Resident(Order order_, Vault& vault_) : order(std::move(order_)), vault(vault_) {}
    Order order;
    std::reference_wrapper<Vault> vault;
  };

  Seat seat_of_pool();
  net::awaitable<std::unique_ptr<Turn>> wait_turn(Cancel* cancel);
  std::string session() const;
  base::Duration linger();
  void measure(Order const& order, Swapped const& swapped);
  bool give_up(std::string const& id);
  net::awaitable<slots::Note> run(Order const& order, Vault& vault, base::Duration patience,
                                  Cancel& cancel, Swapped& swapped);
  net::awaitable<slots::Event> perform(slots::Action action, Order const& order, Vault& vault,
                                       Cancel& cancel);
  net::awaitable<slots::Event> look(base::Duration timeout);
  void say_kept_alive(std::vector<llama::SlotLook> const& slots);
  net::awaitable<void> outlast(Order const& order);
  net::awaitable<slots::Event> save(Order const& order);
  net::awaitable<base::Result<llama::Restored>> call_restore(std::string file,
                                                             base::Duration timeout);
  net::awaitable<slots::Event> restore(Order const& order, Vault& vault);
  void judge_failure(base::Fault const& fault, store::Manifest const& state, Fit const& fit,
                     Vault& vault);
  net::awaitable<slots::Event> erase(Order const& order, Vault& vault);
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
  Pool& pool_;
  std::size_t seat_;
  bool touched_ = false;
  bool closed_ = false;
  std::map<std::string, base::Duration> swap_times_;  // of saves and restores, by route
  base::Duration linger_{};                           // after the answer that has just ended

  std::map<std::string, Resident>
      residents_;           // by key: the one in the slot, and one whose request was cancelled
  std::string owner_;       // key of the session whose request is under way
  std::string owner_gone_;  // why what its request leaves is not the session's; empty: it is
  bool aside_ = false;
  bool runs_on_ = false;    // at the end: what was started for a client that may resume it
  bool forgotten_ = false;  // what the slot held, since its save began
  bool said_allowance_ = false;
  base::TimePoint kept_alive_ =
      base::TimePoint::min();  // when the request ended that this was said of

  net::Signal closing_;
  net::Signal idle_changed_;
  base::TimePoint idle_at_ = base::TimePoint::max();
  bool idle_watch_running_ = false;
  bool idle_save_tried_ = false;
};

}  // namespace slotswap::swap
