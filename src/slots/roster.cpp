#include <slotswap/slots/roster.hpp>

#include <algorithm>

namespace slotswap::slots {

bool Roster::saw(std::string const& model, Presence presence) {
  auto& one = models_[model];
  if (one.presence == presence) return false;
  // Loading it counts as a use: the router begins its own order so.
  if (one.presence == Presence::absent) one.last_use = ++uses_;
  one.presence = presence;
  one.stuck = false;
  return true;
}

Presence Roster::presence(std::string const& model) const {
  auto const place = models_.find(model);
  return place == models_.end() ? Presence::absent : place->second.presence;
}

void Roster::begin(std::string const& model) {
  auto& one = models_[model];
  ++one.in_flight;
  one.last_use = ++uses_;
}

void Roster::end(std::string const& model) {
  auto& one = models_[model];
  if (one.in_flight > 0) --one.in_flight;
}

std::size_t Roster::in_flight(std::string const& model) const {
  auto const place = models_.find(model);
  return place == models_.end() ? 0 : place->second.in_flight;
}

std::size_t Roster::room_taken() const {
  return static_cast<std::size_t>(std::count_if(
      models_.begin(), models_.end(), [](auto const& entry) { return entry.second.takes_room(); }));
}

bool Roster::any_leaving() const {
  return std::any_of(models_.begin(), models_.end(), [](auto const& entry) {
    return entry.second.leaving && entry.second.takes_room();
  });
}

// As the router would choose: never a busy one, never one that is loading.
std::optional<std::string> Roster::victim() const {
  std::string const* found = nullptr;
  std::uint64_t oldest = 0;
  for (auto const& [name, one] : models_) {
    if (!one.ready() || one.in_flight > 0 || one.reserved > 0 || one.leaving || one.stuck) continue;
    if (found != nullptr && one.last_use >= oldest) continue;
    found = &name;
    oldest = one.last_use;
  }
  return found == nullptr ? std::nullopt : std::optional<std::string>(*found);
}

Roster::Step Roster::next(std::string const& model, Ticket ticket) {
  using Kind = Step::Kind;
  auto const& one = models_[model];
  if (one.leaving) return {Kind::wait};
  if (one.ready()) {
    give_up(ticket);
    return {Kind::go};
  }
  if (one.takes_room()) {
    // Somebody else's load is under way: nobody has to wait behind this one for that.
    give_up(ticket);
    return {Kind::wait};
  }
  auto const mine = [ticket](auto const& entry) { return entry.first == ticket; };
  if (std::none_of(line_.begin(), line_.end(), mine)) line_.emplace_back(ticket, model);
  if (!mine(line_.front())) return {Kind::wait};
  if (most_ == 0 || room_taken() < most_) {
    give_up(ticket);
    return {Kind::load};
  }
  // Who leaves already may be enough.
  if (any_leaving()) return {Kind::wait};
  auto chosen = victim();
  if (!chosen) return {Kind::wait};
  return {Kind::evict, std::move(*chosen)};
}

void Roster::give_up(Ticket ticket) {
  std::erase_if(line_, [ticket](auto const& entry) { return entry.first == ticket; });
}

void Roster::reserve(std::string const& model) {
  ++models_[model].reserved;
}

void Roster::release(std::string const& model) {
  auto& one = models_[model];
  if (one.reserved > 0) --one.reserved;
}

void Roster::leave(std::string const& model) {
  models_[model].leaving = true;
}

void Roster::left(std::string const& model, bool stuck) {
  auto& one = models_[model];
  one.leaving = false;
  one.stuck = stuck;
}

}  // namespace slotswap::slots
