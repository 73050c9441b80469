// Whose turn it is at a slot: one owner at a time, first come first served. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace slotswap::slots {

using Ticket = std::uint64_t;

class Queue {
 public:
  /// True when the slot is the ticket's at once; else it waits.
  bool enter(Ticket ticket);
  /// The owner is done: the next owner, if any waits.
  std::optional<Ticket> release(Ticket ticket);
  /// Out of the line; false when it does not wait (it is the owner, or gone).
  bool leave(Ticket ticket);

  bool free() const { return !owner_ && waiting_.empty(); }
  std::optional<Ticket> owner() const { return owner_; }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  std::optional<Ticket> owner_;
  std::deque<Ticket> waiting_;
};

}  // namespace slotswap::slots
