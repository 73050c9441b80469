#include <slotswap/swap/pool.hpp>

#include <algorithm>
#include <utility>

namespace slotswap::swap {

Turn::~Turn() {
  pool_.release(seats_);
}

Pool::Pool(net::Loop& loop, net::TaskGroup& tasks) : loop_(loop), tasks_(tasks), sooner_(loop) {}

std::size_t Pool::add(Seat seat) {
  seats_.push_back(std::move(seat));
  return scheduler_.add_seat();
}

void Pool::open(std::size_t seat, bool open) {
  scheduler_.open(seat, open);
  grant();
}

// A grant is state here and the signal only wakes: a waiter that was granted while it was being
// cancelled gives it back.
net::awaitable<std::unique_ptr<Turn>> Pool::wait(Wish wish, Cancel* cancel) {
  slots::Request request;
  request.ticket = ++last_ticket_;
  request.session = std::move(wish.session);
  request.avoid = std::move(wish.avoid);
  request.client = std::move(wish.client);
  request.max_overtake = wish.max_overtake;
  request.seats = std::move(wish.seats);
  request.whole = wish.whole;
  request.lingers = wish.lingers;
  auto const ticket = request.ticket;
  auto const stop = [&]() { return cancel != nullptr && (cancel->requested() || closed_); };
  Waiter waiter(loop_);
  waiters_[ticket] = &waiter;
  scheduler_.enter(std::move(request), loop_.now());
  grant();
  if (cancel != nullptr) cancel->on_request([&waiter] { waiter.signal.notify(); });
  while (!waiter.turn && !stop()) co_await waiter.signal.wait();
  if (cancel != nullptr) cancel->on_request(nullptr);
  waiters_.erase(ticket);
  auto turn = std::move(waiter.turn);
  if (!stop()) co_return turn;
  turn.reset();
  if (scheduler_.leave(ticket)) grant();
  co_return nullptr;
}

void Pool::grant() {
  auto const now = loop_.now();
  for (auto next = scheduler_.next(now); next; next = scheduler_.next(now)) {
    for (auto const seat : next->left) seats_[seat].left(next->session);
    if (!next->session.empty()) ran_in_.insert(next->seats.begin(), next->seats.end());
    auto const waiter = waiters_.find(next->ticket)->second;
    waiter->turn = std::make_unique<Turn>(*this, std::move(next->seats));
    waiter->signal.notify();
  }
  look_at_ = scheduler_.deadline(now).value_or(base::TimePoint::max());
  if (watching_) return sooner_.notify();
  if (look_at_ == base::TimePoint::max()) return;
  watching_ = true;
  tasks_.spawn("linger", watch());
}

net::awaitable<void> Pool::watch() {
  while (look_at_ != base::TimePoint::max()) {
    auto const changed = co_await sooner_.wait_until(look_at_);
    if (!changed) grant();
  }
  watching_ = false;
}

void Pool::release(std::vector<std::size_t> const& seats) {
  for (auto const seat : seats)
    scheduler_.release(seat, seats_[seat].resident(), seats_[seat].linger(), loop_.now());
  grant();
  for (auto const seat : seats) seats_[seat].freed();
}

void Pool::swapped(std::size_t seat) {
  scheduler_.swapped(seat);
  grant();
}

void Pool::changed(std::size_t seat) {
  scheduler_.holds(seat, seats_[seat].resident());
}

bool Pool::ran_beside(std::vector<std::size_t> const& seats) const {
  return std::any_of(ran_in_.begin(), ran_in_.end(), [&seats](std::size_t seat) {
    return std::find(seats.begin(), seats.end(), seat) == seats.end();
  });
}

void Pool::close() {
  closed_ = true;
  for (auto const& [ticket, waiter] : waiters_) waiter->signal.notify();
}

}  // namespace slotswap::swap
