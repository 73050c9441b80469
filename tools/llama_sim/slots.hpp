// The slots of a simulated server and who waits for them, with the real one's odd rule: a call that
// finds its slot busy is parked, and only the end of a completion takes up parked calls again, one
// at a time. Loop thread.
#pragma once

#include "llama_sim/book.hpp"
#include "llama_sim/text.hpp"

#include <slotswap/net/loop.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace slotswap::llama_sim {

struct SimSlot {
  int id = 0;
  Tokens tokens;
  std::optional<std::int64_t> task;
  bool busy = false;
  bool acting = false;  // a slot action runs: the main loop takes up nothing else before it ends
  std::int64_t processed = 0;
  std::int64_t cached = 0;
};

class Slots {
 public:
  Slots(net::Loop& loop, int count, base::Duration check_period, Book& book);

  /// Waits until the slot is the caller's. False: the caller's client left meanwhile (noticed once
  /// a period).
  net::awaitable<bool> take(SimSlot& slot, std::function<bool()> gone);
  net::awaitable<void> main_loop_free(SimSlot& slot);
  /// The end of a completion takes up one parked call; that of a slot action none.
  void release(SimSlot& slot, bool completion);

  SimSlot& by_id(std::int64_t id);
  /// The slot a completion runs in: the one asked for, or the one with the most in common.
  SimSlot& choose(std::int64_t wanted, Tokens const& prompt);
  std::int64_t next_task() { return next_task_++; }
  std::vector<std::unique_ptr<SimSlot>> const& all() const { return slots_; }
  std::size_t parked() const { return parked_.size(); }
  bool any_busy() const;
  void forget();

 private:
  struct Parked {
    Parked(SimSlot& slot_, net::Loop& loop) : slot(slot_), signal(loop) {}
    SimSlot& slot;
    net::Signal signal;
    bool granted = false;
  };

  net::Loop& loop_;
  base::Duration check_period_;
  Book& book_;
  std::vector<std::unique_ptr<SimSlot>> slots_;
  std::deque<Parked*> parked_;
  std::int64_t next_task_ = 0;
};

}  // namespace slotswap::llama_sim
