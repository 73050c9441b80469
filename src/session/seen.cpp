#include <slotswap/session/seen.hpp>

namespace slotswap::session {

bool Seen::meet(std::string const& session) {
  auto const place = places_.find(session);
  if (place != places_.end()) {
    order_.splice(order_.begin(), order_, place->second);
    return true;
  }
  order_.push_front(session);
  places_.emplace(session, order_.begin());
  if (order_.size() > limit_) forget(std::string(order_.back()));
  return false;
}

void Seen::forget(std::string const& session) {
  auto const place = places_.find(session);
  if (place == places_.end()) return;
  order_.erase(place->second);
  places_.erase(place);
}

}  // namespace slotswap::session
