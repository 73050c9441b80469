#include <slotswap/slots/scheduler.hpp>

#include <algorithm>
#include <utility>

namespace slotswap::slots {

namespace {

// Clients whose last turn is remembered; one that was forgotten counts as not served yet.
constexpr std::size_t most_clients = 1024;

}  // namespace

std::size_t Scheduler::add_seat() {
  seats_.emplace_back();
  return seats_.size() - 1;
}

void Scheduler::enter(Request request, TimePoint now) {
  line_.emplace_back(std::move(request), now);
}

bool Scheduler::leave(Ticket ticket) {
  auto const place = find(ticket);
  if (place == line_.end()) return false;
  line_.erase(place);
  if (gathering_ == ticket) gathering_ = 0;
  return true;
}

Scheduler::Line::iterator Scheduler::find(Ticket ticket) {
  return std::find_if(line_.begin(), line_.end(),
                      [ticket](Waiting const& who) { return who.request.ticket == ticket; });
}

// Where it may run at all; when all of those are closed it has to try one of them.
bool Scheduler::may_run(Waiting const& who, std::size_t seat) const {
  auto const& seats = who.request.seats;
  if (std::find(seats.begin(), seats.end(), seat) == seats.end()) return false;
  auto const open = [this](std::size_t one) { return seats_[one].open; };
  return seats_[seat].open || std::none_of(seats.begin(), seats.end(), open);
}

bool Scheduler::shuns(Waiting const& who, std::size_t seat) const {
  auto const& avoid = who.request.avoid;
  if (avoid.empty() || who.request.whole || seats_[seat].session() != avoid) return false;
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    if (i != seat && may_run(who, i)) return true;
  }
  return false;
}

bool Scheduler::allowed(Waiting const& who, std::size_t seat) const {
  return may_run(who, seat) && !shuns(who, seat);
}

// What is being written is newer than its state on disk: it waits for that, wherever it goes then.
bool Scheduler::being_saved(std::string const& session) const {
  return !session.empty() && std::any_of(seats_.begin(), seats_.end(), [&](Seat const& seat) {
    return seat.open && seat.leaving == session;
  });
}

bool Scheduler::usable(Waiting const& who, std::size_t seat) const {
  if (being_saved(who.request.session)) return false;
  if (!allowed(who, seat) || seats_[seat].owner != 0) return false;
  if (gathering_ == 0 || gathering_ == who.request.ticket) return true;
  for (auto const& one : line_) {
    if (one.request.ticket == gathering_) return !allowed(one, seat);
  }
  return true;
}

// Its session's slot: the one that holds it, or where another request of it runs.
std::optional<std::size_t> Scheduler::home(Waiting const& who) const {
  auto const& session = who.request.session;
  if (session.empty() || who.request.whole) return std::nullopt;
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    if (seats_[i].session() == session && allowed(who, i)) return i;
  }
  return std::nullopt;
}

// An empty one, else the one that was used longest ago.
std::optional<std::size_t> Scheduler::place_for(Waiting const& who, bool past_linger,
                                                TimePoint now) const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    auto const& seat = seats_[i];
    auto const lingers = !past_linger && who.request.lingers && now < seat.linger_until;
    if (!usable(who, i) || lingers) continue;
    auto const rank = [this](std::size_t one) {
      return std::pair(!seats_[one].resident.empty(), seats_[one].last_use);
    };
    if (!best || rank(i) < rank(*best)) best = i;
  }
  return best;
}

// Nobody who waits for this slot has been overtaken for as long as he has to bear.
bool Scheduler::fair(Waiting const& next, std::size_t seat) const {
  return std::none_of(line_.begin(), line_.end(), [&](Waiting const& who) {
    auto const older = who.request.ticket < next.request.ticket;
    auto const other = who.request.session != next.request.session || who.request.session.empty();
    return older && other && who.worn() && allowed(who, seat) && home(who).value_or(seat) == seat;
  });
}

std::optional<Scheduler::Grant> Scheduler::next(TimePoint now) {
  auto granted = next_of_whole(now);
  if (!granted) granted = next_of_batches(now);
  if (!granted) granted = next_overdue(now);
  if (!granted) granted = next_resident(now);
  if (!granted) granted = next_in_turn(now);
  return granted;
}

std::optional<Scheduler::Grant> Scheduler::next_of_whole(TimePoint now) {
  auto const who = gathering_ != 0 ? find(gathering_) : line_.end();
  if (who == line_.end()) return std::nullopt;
  std::vector<std::size_t> seats;
  for (auto const seat : who->request.seats) {
    if (!allowed(*who, seat)) continue;
    if (seats_[seat].owner != 0) return std::nullopt;
    seats.push_back(seat);
  }
  auto request = std::move(who->request);
  line_.erase(who);
  gathering_ = 0;
  return start(std::move(request), std::move(seats), now);
}

std::optional<Scheduler::Grant> Scheduler::next_of_batches(TimePoint now) {
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    auto& batch = seats_[i].batch;
    while (!batch.empty()) {
      auto const who = find(batch.front());
      if (who != line_.end() && !usable(*who, i)) break;
      batch.pop_front();
      if (who == line_.end()) continue;
      if (fair(*who, i)) return grant(who, i, now);
      batch.clear();
    }
  }
  return std::nullopt;
}

void Scheduler::start_batch(Waiting const& first, std::size_t seat) {
  auto& batch = seats_[seat].batch;
  batch.clear();
  if (first.request.session.empty()) return;
  for (auto const& who : line_) {
    auto const same = who.request.session == first.request.session;
    if (same && who.request.ticket != first.request.ticket) batch.push_back(who.request.ticket);
  }
}

std::optional<Scheduler::Grant> Scheduler::next_overdue(TimePoint now) {
  for (auto who = line_.begin(); who != line_.end(); ++who) {
    if (!who->overdue(now)) continue;
    if (who->request.whole) {
      if (gathering_ == 0) gathering_ = who->request.ticket;
      auto granted = next_of_whole(now);
      if (granted) return granted;
      continue;
    }
    auto place = home(*who);
    if (!place) place = place_for(*who, true, now);
    if (!place || !usable(*who, *place)) continue;
    start_batch(*who, *place);
    return grant(who, *place, now);
  }
  return std::nullopt;
}

std::optional<Scheduler::Grant> Scheduler::next_resident(TimePoint now) {
  for (auto who = line_.begin(); who != line_.end(); ++who) {
    auto const place = home(*who);
    if (place && usable(*who, *place)) return grant(who, *place, now);
  }
  return std::nullopt;
}

std::optional<Scheduler::Grant> Scheduler::next_in_turn(TimePoint now) {
  auto best = line_.end();
  auto turn_of = [this](Waiting const& who) {
    auto const place = turns_.find(who.request.client);
    return place == turns_.end() ? 0 : place->second;
  };
  for (auto who = line_.begin(); who != line_.end(); ++who) {
    if (home(*who) || !place_for(*who, false, now)) continue;
    if (best == line_.end() || turn_of(*who) < turn_of(*best)) best = who;
  }
  if (best == line_.end()) return std::nullopt;
  if (!best->request.whole) return grant(best, *place_for(*best, false, now), now);
  if (gathering_ == 0) gathering_ = best->request.ticket;
  return next_of_whole(now);
}

Scheduler::Grant Scheduler::grant(Line::iterator who, std::size_t seat, TimePoint now) {
  auto request = std::move(who->request);
  line_.erase(who);
  return start(std::move(request), {seat}, now);
}

Scheduler::Grant Scheduler::start(Request request, std::vector<std::size_t> seats, TimePoint now) {
  Grant granted;
  granted.ticket = request.ticket;
  for (auto const seat : seats) take(seat, request, now);
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    auto& seat = seats_[i];
    auto const elsewhere = std::find(seats.begin(), seats.end(), i) == seats.end();
    auto const there = seat.resident == request.session || seat.running == request.session;
    if (request.session.empty() || !elsewhere || !there) continue;
    if (seat.resident == request.session) seat.resident.clear();
    granted.left.push_back(i);
  }
  granted.session = std::move(request.session);
  granted.seats = std::move(seats);
  return granted;
}

void Scheduler::take(std::size_t seat, Request const& request, TimePoint now) {
  auto& taken = seats_[seat];
  // That it stood free while they waited was for this one's sake.
  for (auto& who : line_) {
    auto const since = std::max(taken.free_since, who.arrived);
    if (now > since && allowed(who, seat)) who.overtaken += now - since;
  }
  taken.owner = request.ticket;
  taken.running = request.session;
  taken.leaving = taken.resident == request.session ? std::string() : taken.resident;
  taken.started = now;
  taken.linger_until = TimePoint::min();
  count_turn(request.client);
}

void Scheduler::count_turn(std::string const& client) {
  turns_[client] = ++turn_;
  if (turns_.size() <= most_clients) return;
  auto const by_turn = [](auto const& one, auto const& other) { return one.second < other.second; };
  turns_.erase(std::min_element(turns_.begin(), turns_.end(), by_turn));
}

void Scheduler::release(std::size_t seat, std::string resident, Duration linger, TimePoint now) {
  auto& freed = seats_[seat];
  for (auto& who : line_) {
    auto const older = who.request.ticket < freed.owner;
    if (older && allowed(who, seat)) who.overtaken += now - std::max(freed.started, who.arrived);
  }
  freed.owner = 0;
  freed.running.clear();
  freed.leaving.clear();
  freed.last_use = now;
  freed.free_since = now;
  freed.linger_until = resident.empty() ? TimePoint::min() : now + linger;
  freed.resident = std::move(resident);
}

void Scheduler::holds(std::size_t seat, std::string resident) {
  seats_[seat].resident = std::move(resident);
}

bool Scheduler::wanted(std::size_t seat) const {
  return waiting(seat) > 0;
}

std::size_t Scheduler::waiting(std::size_t seat) const {
  auto const here = [this, seat](Waiting const& who) { return allowed(who, seat); };
  return static_cast<std::size_t>(std::count_if(line_.begin(), line_.end(), here));
}

std::optional<TimePoint> Scheduler::deadline(TimePoint now) const {
  std::optional<TimePoint> first;
  auto const add = [&first, now](TimePoint when) {
    if (when > now && (!first || when < *first)) first = when;
  };
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    if (seats_[i].owner != 0 || seats_[i].linger_until <= now) continue;
    for (auto const& who : line_) {
      if (!allowed(who, i)) continue;
      add(seats_[i].linger_until);
      add(who.arrived + who.request.max_overtake);
    }
  }
  return first;
}

}  // namespace slotswap::slots
