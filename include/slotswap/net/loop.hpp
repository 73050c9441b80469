// The one thread that owns all state: its event loop, a small pool for work that would hold it up,
// deadlines and tasks. Everything here is used on the loop thread only, unless a line says
// otherwise.
#pragma once

#include <slotswap/base/clock.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <string>

namespace slotswap::net {

namespace asio = boost::asio;
using asio::awaitable;
using base::Duration;
using base::TimePoint;

class Watchdog;

class Loop {
 public:
  Loop();
  ~Loop();
  Loop(Loop const&) = delete;
  Loop& operator=(Loop const&) = delete;

  /// Runs until stop(). An exception that surfaces in a handler is reported and the loop goes on:
  /// it costs the one connection that raised it.
  void run();
  /// Any thread.
  void stop();
  /// Runs `work` on the loop. Any thread.
  void post(std::function<void()> work);

  asio::io_context& context() { return context_; }
  asio::thread_pool& pool() { return pool_; }
  TimePoint now() const { return base::Clock::now(); }

  /// One read buffer for all connections: what is in it holds until the next co_await, no longer.
  std::span<char> scratch() { return scratch_; }

 private:
  friend class Watchdog;
  void schedule_sweep();
  void sweep();

  // Before the context: the coroutines it destroys on its way out still have watchdogs.
  std::set<Watchdog*> armed_;
  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  asio::thread_pool pool_{2};
  std::array<char, 64 * 1024> scratch_{};
  asio::steady_timer sweep_timer_;
  bool sweeping_ = false;
};

/// A deadline of something that owns it: a field looked at by the loop's one coarse timer (50 ms).
/// It never fires early.
class Watchdog {
 public:
  Watchdog(Loop& loop, std::function<void()> expired);
  ~Watchdog();
  Watchdog(Watchdog const&) = delete;
  Watchdog& operator=(Watchdog const&) = delete;

  /// 0 or less: no deadline.
  void expires_in(Duration time);
  void off();

 private:
  friend class Loop;
  Loop& loop_;
  std::function<void()> expired_;
  TimePoint at_ = TimePoint::max();
};

/// Wakes one waiting coroutine. Latched: a notify without a waiter is seen by the next wait.
class Signal {
 public:
  explicit Signal(Loop& loop);
  void notify();
  awaitable<void> wait();
  /// False when `deadline` came first.
  awaitable<bool> wait_until(TimePoint deadline);

 private:
  asio::steady_timer timer_;
  bool notified_ = false;
};

/// Coroutines that no connection owns. An exception that leaves one is reported under its name,
/// never lost.
class TaskGroup {
 public:
  explicit TaskGroup(Loop& loop);
  void spawn(std::string name, awaitable<void> task);
  std::size_t running() const { return running_; }
  /// Waits until none is running; false when `deadline` came first. One waiter.
  awaitable<bool> join(TimePoint deadline);

 private:
  Loop& loop_;
  std::size_t running_ = 0;
  Signal empty_;
};

/// Reports what surfaced where no caller is left to tell; called by the pieces of net.
void report_exception(std::string const& where, std::exception_ptr error);

}  // namespace slotswap::net
