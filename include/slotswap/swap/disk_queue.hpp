// The work on one folder's disk: one job at a time and in order, on the pool, beside the requests.
// A state's removal never overtakes its publishing. Loop thread.
#pragma once

#include <slotswap/net/loop.hpp>

#include <deque>
#include <functional>
#include <string>
#include <utility>

namespace slotswap::swap {

class DiskQueue {
 public:
  /// `folder`: its name in the log.
  DiskQueue(net::Loop& loop, net::TaskGroup& tasks, std::string folder);

  /// Runs on the pool and owns what it works on; returns what went wrong, or nothing.
  using Job = std::function<std::string()>;
  /// `then` runs on the loop after it.
  void add(std::string what, Job job, std::function<void()> then = nullptr);
  /// Waits until all that was added before is done; it is not kept waiting by a swap.
  net::awaitable<void> flush();

  /// While one lives, work waits for a while: writing through to the disk would slow the slot calls
  /// of a swap down (measured: docs/performance.md).
  class Quiet {
   public:
    explicit Quiet(DiskQueue& queue) : queue_(queue) { ++queue_.swaps_; }
    ~Quiet() {
      if (--queue_.swaps_ == 0) queue_.wake_.notify();
    }
    Quiet(Quiet const&) = delete;
    Quiet& operator=(Quiet const&) = delete;

   private:
    DiskQueue& queue_;
  };

 private:
  struct Entry {
    std::string what;
    Job job;
    std::function<void()> then;
  };
  net::awaitable<void> work();
  net::awaitable<void> wait_for_quiet();

  net::Loop& loop_;
  net::TaskGroup& tasks_;
  std::string folder_;
  std::deque<Entry> jobs_;
  net::Signal wake_;
  bool working_ = false;
  int swaps_ = 0;
  int hurried_ = 0;
};

}  // namespace slotswap::swap
