#include <slotswap/swap/gate.hpp>

#include <utility>

namespace slotswap::swap {

Gate::Gate(net::Loop& loop, net::TaskGroup& tasks, llama::Server& server, Vault& vault,
           RouterSettings settings)
    : server_(server),
      name_(settings.host.name),
      single_(loop, tasks, server, vault, settings.host),
      router_(loop, tasks, server, vault, std::move(settings)) {}

// GET /props wakes nothing; where nobody answers the request itself will say so.
net::awaitable<bool> Gate::is_router() {
  if (router_.in_charge()) co_return true;
  if (asked_) co_return false;
  auto const props = co_await server_.props();
  if (props.has_error()) co_return false;
  asked_ = true;
  if (props->router) router_.begin(*props);
  co_return props->router;
}

net::awaitable<base::Result<Admission>> Gate::admit(Visitor visitor, Cancel& cancel) {
  auto const in_slot = visitor.need == Need::slot;
  if (!router_.in_charge() && in_slot) {
    // It was one when it was last asked, and may be another process now.
    if (single_.is_router()) single_.lost();
    // The single server's first contact asks what it is as well.
    auto admission = co_await single_.admit(visitor, cancel);
    if (!single_.is_router()) co_return admission;
    asked_ = false;
  }
  auto const named = in_slot || (visitor.need != Need::nothing && !visitor.model.empty());
  if (!named) co_return Admission();
  auto const router = co_await is_router();
  if (router) co_return co_await router_.admit(std::move(visitor), cancel);
  co_return Admission();
}

net::awaitable<std::optional<base::Fault>> Gate::meet() {
  if (router_.in_charge()) co_return std::nullopt;
  if (single_.is_router()) single_.lost();
  auto fault = co_await single_.meet();
  if (single_.is_router()) {
    asked_ = false;
    co_await is_router();
  }
  co_return fault;
}

// Its slots are void whatever it was, and a router may come back as something else.
void Gate::set_aside(bool aside) {
  if (aside) asked_ = false;
  single_.set_aside(aside);
  router_.set_aside(aside);
}

// Of a single server's slots the pool knows by itself.
void Gate::moved_away(std::string const& id) {
  router_.moved_away(id);
}

net::awaitable<void> Gate::resume() {
  auto const& book = single_.vault().book();
  if (book.has_any_of(name_ + "/")) {
    auto const router = co_await is_router();
    if (router) co_return co_await router_.resume();
  }
  co_await single_.resume();
}

net::awaitable<base::Result<bool>> Gate::forget(std::string id) {
  auto const router = co_await is_router();
  if (router) co_return co_await router_.forget(std::move(id));
  co_return co_await single_.forget(std::move(id));
}

void Gate::lost(std::string const& model) {
  asked_ = false;
  if (router_.in_charge()) {
    router_.lost(model);
  } else {
    single_.lost();
  }
}

void Gate::close() {
  single_.close();
  router_.close();
}

net::awaitable<void> Gate::drain() {
  if (router_.in_charge()) co_return co_await router_.drain();
  co_await single_.drain();
}

std::string Gate::slot_of(std::string const& model) const {
  return router_.in_charge() ? router_.id_of(model) : std::string();
}

Host const* Gate::host(std::string const& model) const {
  return model.empty() ? &single_ : router_.host(model);
}

}  // namespace slotswap::swap
