#include <slotswap/slots/queue.hpp>

#include <algorithm>

namespace slotswap::slots {

bool Queue::enter(Ticket ticket) {
  if (!owner_) {
    owner_ = ticket;
    return true;
  }
  waiting_.push_back(ticket);
  return false;
}

std::optional<Ticket> Queue::release(Ticket ticket) {
  if (owner_ != ticket) return std::nullopt;
  owner_.reset();
  if (waiting_.empty()) return std::nullopt;
  owner_ = waiting_.front();
  waiting_.pop_front();
  return owner_;
}

bool Queue::leave(Ticket ticket) {
  auto const place = std::find(waiting_.begin(), waiting_.end(), ticket);
  if (place == waiting_.end()) return false;
  waiting_.erase(place);
  return true;
}

}  // namespace slotswap::slots
