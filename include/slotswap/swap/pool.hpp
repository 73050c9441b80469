// The line in front of slots that share one (docs/queue.md): waits for a turn, and gives the slot
// on when it ends. Whose turn is next is decided by slots::Scheduler. Loop thread.
#pragma once

#include <slotswap/base/clock.hpp>
#include <slotswap/net/loop.hpp>
#include <slotswap/slots/scheduler.hpp>
#include <slotswap/swap/cancel.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace slotswap::swap {

class Pool;

/// A turn at one slot, or at several: given back when it is dropped, whatever happened meanwhile.
class Turn {
 public:
  Turn(Pool& pool, std::vector<std::size_t> seats) : pool_(pool), seats_(std::move(seats)) {}
  Turn(Turn const&) = delete;
  Turn& operator=(Turn const&) = delete;
  ~Turn();
  std::vector<std::size_t> const& seats() const { return seats_; }

 private:
  Pool& pool_;
  std::vector<std::size_t> seats_;
};

/// What a slot tells of itself when a turn at it ends.
struct Seat {
  Seat() = default;
  std::function<std::string()> resident;   // the session that it holds; empty: nobody's
  std::function<base::Duration()> linger;  // what its next request is worth waiting for; once
  std::function<void()> freed;             // the turn has ended
  /// This session, which it held or ran, runs in another slot from now on.
  std::function<void(std::string const& session)> left;
};

struct Wish {
  Wish() = default;
  std::string session;  // empty: none
  std::string avoid;    // the session whose slot it leaves alone where there is another
  std::string client;
  base::Duration max_overtake{std::chrono::seconds(30)};
  std::vector<std::size_t> seats;
  bool whole = false;
  bool lingers = true;  // false: work of our own
};

class Pool {
 public:
  Pool(net::Loop& loop, net::TaskGroup& tasks);

  std::size_t add(Seat seat);
  /// Closed: its server is set aside.
  void open(std::size_t seat, bool open);

  /// Null: `cancel` or close() came first; without a `cancel` neither ends the wait.
  net::awaitable<std::unique_ptr<Turn>> wait(Wish wish, Cancel* cancel);
  /// Whoever has the turn there is through with what was in the slot before.
  void swapped(std::size_t seat);
  /// What the slot holds changed, and nobody had a turn there.
  void changed(std::size_t seat);
  /// Requests that wait are turned away, and later ones.
  void close();
  bool closed() const { return closed_; }

  /// Whether a session ran in another slot than these.
  bool ran_beside(std::vector<std::size_t> const& seats) const;

  /// Nobody has it or waits for it.
  bool free(std::size_t seat) const { return scheduler_.free(seat); }
  std::size_t waiting(std::size_t seat) const { return scheduler_.waiting(seat); }

 private:
  friend class Turn;
  struct Waiter {
    explicit Waiter(net::Loop& loop) : signal(loop) {}
    net::Signal signal;
    std::unique_ptr<Turn> turn;
  };

  void release(std::vector<std::size_t> const& seats);
  void grant();
  net::awaitable<void> watch();

  net::Loop& loop_;
  net::TaskGroup& tasks_;
  slots::Scheduler scheduler_;
  std::vector<Seat> seats_;
  std::set<std::size_t> ran_in_;
  slots::Ticket last_ticket_ = 0;
  std::map<slots::Ticket, Waiter*> waiters_;
  bool closed_ = false;
  net::Signal sooner_;
  base::TimePoint look_at_ = base::TimePoint::max();  // when the scheduler is asked anew
  bool watching_ = false;
};

}  // namespace slotswap::swap
