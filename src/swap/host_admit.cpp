// The way into the slots of a server: the order, the turn, the lease, and the end.
#include <slotswap/swap/host.hpp>

#include <utility>

namespace slotswap::swap {

base::Fault Host::closing() {
  return base::Fault(base::Side::us, "shutting_down", "slotswap is stopping; try again");
}

base::Fault Host::given_up() {
  return base::Fault(base::Side::client, "client_gone", "the client left while it waited");
}

Keeper& Host::keeper_at(std::size_t seat) {
  for (auto const& keeper : keepers_) {
    if (keeper->seat() == seat) return *keeper;
  }
  return *keepers_.front();
}

std::vector<std::size_t> Host::seats() const {
  std::vector<std::size_t> all;
  for (auto const& keeper : keepers_) all.push_back(keeper->seat());
  return all;
}

net::awaitable<base::Result<Admission>> Host::admit(Visitor visitor, Cancel& cancel) {
  Admission admission;
  if (!vault_.usable()) {
    if (visitor.session) admission.skipped = "another slotswap has the folder of saved states";
    co_return admission;
  }
  if (standing_ == Standing::unknown) co_await contact();
  if (standing_ == Standing::off || standing_ == Standing::router) {
    if (visitor.session) admission.skipped = why_off_;
    co_return admission;
  }
  auto order = order_for(visitor, admission);
  if (pool_->closed()) co_return closing();
  auto const entered = loop_.now();
  auto turn = co_await pool_->wait(wish_of(visitor, order.key.id), &cancel);
  if (!turn) co_return cancel.requested() ? given_up() : closing();
  co_return co_await take(std::move(visitor), std::move(order), std::move(admission),
                          std::move(turn), entered, cancel);
}

net::awaitable<base::Result<Admission>> Host::enter(Visitor visitor, std::unique_ptr<Turn> turn,
                                                    base::TimePoint entered, Cancel& cancel) {
  Admission admission;
  // It may have been lost while the turn was waited for.
  if (standing_ == Standing::unknown) co_await contact();
  if (standing_ == Standing::off || standing_ == Standing::router) {
    if (visitor.session) admission.skipped = why_off_;
    co_return admission;
  }
  auto order = order_for(visitor, admission);
  co_return co_await take(std::move(visitor), std::move(order), std::move(admission),
                          std::move(turn), entered, cancel);
}

net::awaitable<std::optional<base::Fault>> Host::meet() {
  if (!vault_.usable()) co_return std::nullopt;
  if (standing_ == Standing::unknown) co_await contact();
  co_return standing_ == Standing::unknown ? unreachable_ : std::nullopt;
}

Wish Host::wish_of(Visitor const& visitor, std::string session) const {
  Wish wish;
  wish.session = std::move(session);
  if (visitor.elsewhere) wish.avoid = visitor.not_with;
  wish.client = visitor.client;
  wish.max_overtake = visitor.queue.max_overtake;
  wish.seats = seats();
  wish.whole = visitor.whole && several();
  return wish;
}

Order Host::order_for(Visitor& visitor, Admission& admission) const {
  Order order;
  order.route = visitor.route;
  order.settings = visitor.settings != nullptr ? *visitor.settings : settings_.slots;
  order.prompt_digest = std::move(visitor.prompt_digest);
  order.linger = visitor.queue.linger;
  if (standing_ == Standing::unknown) {
    order.kind = slots::Goal::Kind::hands_off;
    visitor.whole = true;
    if (visitor.session) admission.skipped = "the server could not be asked what it is";
  } else if (visitor.session && !(visitor.whole && several())) {
    order.kind = slots::Goal::Kind::session;
    order.key.id = *visitor.session;
    order.savable = visitor.savable;
    // What runs beside a story has no next turn to wait for.
    if (!visitor.not_with.empty()) order.linger = base::Duration::zero();
  } else {
    order.kind = slots::Goal::Kind::pass;
    if (visitor.session) admission.skipped = "it cannot be kept in one of several slots";
  }
  return order;
}

net::awaitable<base::Result<Admission>> Host::take(Visitor visitor, Order order,
                                                   Admission admission, std::unique_ptr<Turn> turn,
                                                   base::TimePoint entered, Cancel& cancel) {
  if (visitor.on_turn) visitor.on_turn();
  auto const waited = loop_.now() - entered;
  auto const granted = turn->seats();
  auto lease = std::make_unique<Lease>(tasks_, std::move(turn), vault_);
  lease->swapped.waited = waited;
  for (auto const seat : granted) {
    auto& keeper = keeper_at(seat);
    auto own = order;
    auto const done = co_await keeper.prepare(own, vault_, cancel);
    pool_->swapped(seat);
    if (done.has_error()) {
      lease->finish(slots::Outcome());
      co_return done.error();
    }
    auto const has_own = done->found == Found::resident || done->found == Found::restored;
    lease->small = visitor.small && own.kind == slots::Goal::Kind::session && !has_own;
    if (lease->small) own.savable = false;
    lease->add(keeper, std::move(own), *done);
    if (several() && granted.size() == 1) lease->slot = keeper.slot_id();
  }
  admission.lease = std::move(lease);
  co_return admission;
}

void Host::set_aside(bool aside) {
  if (aside) lost();
  for (auto const& keeper : keepers_) {
    keeper->set_aside(aside, vault_);
    pool_->open(keeper->seat(), !aside);
  }
}

void Host::moved_away(std::string const& id) {
  for (auto const& keeper : keepers_) keeper->moved_away(id);
}

net::awaitable<std::unique_ptr<Turn>> Host::vacate(Cancel* cancel) {
  Wish wish;
  wish.seats = seats();
  wish.whole = several();
  wish.lingers = false;
  auto turn = co_await pool_->wait(std::move(wish), cancel);
  if (!turn) co_return nullptr;
  for (auto const& keeper : keepers_) {
    auto const clear = co_await keeper->clear_out();
    if (!clear) co_return nullptr;
  }
  co_return turn;
}

void Host::close() {
  pool_->close();
  for (auto const& keeper : keepers_) keeper->close();
}

net::awaitable<void> Host::drain() {
  for (auto const& keeper : keepers_) co_await keeper->drain();
}

}  // namespace slotswap::swap
