// The way in: a request's model, its room, its turn at the slot.
#include "router_model.hpp"

#include <slotswap/base/text.hpp>
#include <slotswap/telemetry/log.hpp>

namespace slotswap::swap {

namespace {

// A model that others load and unload beside us may be gone again when its turn has come.
constexpr int most_tries = 4;

}  // namespace

Router::Router(net::Loop& loop, net::TaskGroup& tasks, llama::Server& server, Vault& vault,
               RouterSettings settings)
    : loop_(loop),
      tasks_(tasks),
      server_(server),
      vault_(vault),
      settings_(std::move(settings)),
      pause_(loop) {}

Router::~Router() = default;

config::Slots const& Router::settings_of(std::string const& id) const {
  for (auto const& [glob, slots] : settings_.host.routes) {
    if (base::glob_match(glob, id)) return slots;
  }
  return settings_.host.slots;
}

Router::Model& Router::model(std::string const& id) {
  auto& one = models_[id];
  if (!one) one = std::make_unique<Model>(server_.for_model(id));
  return *one;
}

Host& Router::host_of(std::string const& id) {
  auto& one = model(id);
  if (one.host) return *one.host;
  auto settings = settings_.host;
  settings.model = id;
  settings.slots = settings_of(id);
  one.host = std::make_unique<Host>(loop_, tasks_, one.server, vault_, std::move(settings));
  if (closed_) one.host->close();
  return *one.host;
}

Host const* Router::host(std::string const& model) const {
  auto const name = ids_.find(model);
  auto const place = models_.find(name == ids_.end() ? model : name->second);
  return place == models_.end() ? nullptr : place->second->host.get();
}

net::awaitable<base::Result<Admission>> Router::admit(Visitor visitor, Cancel& cancel) {
  co_await settle();
  auto const id = co_await resolve(visitor.model);
  // The router's own error says so.
  if (!id) co_return Admission();
  if (visitor.need == Need::unload) co_return co_await leave_to(*id);
  auto const use = std::make_shared<Use>(*this, *id);
  auto const loads = visitor.may_load && (autoload_ || visitor.need == Need::load);
  for (int tries = 0; loads && tries < most_tries; ++tries) {
    auto const placed = co_await place(*id, visitor.need, cancel, *use);
    if (placed.has_error()) co_return placed.error();
    if (!*placed || visitor.need != Need::slot) break;
    auto const known = co_await host_of(*id).meet();
    if (known) break;
    // What it was when we looked last it may not be now.
    co_await refresh();
    if (roster_.presence(*id) != slots::Presence::absent) break;
  }
  use->begin();
  Admission admission;
  if (visitor.need == Need::slot) {
    auto admitted = co_await host_of(*id).admit(std::move(visitor), cancel);
    if (admitted.has_error()) co_return admitted.error();
    admission = std::move(*admitted);
  }
  admission.use = use;
  co_return admission;
}

net::awaitable<base::Result<bool>> Router::forget(std::string id) {
  co_await settle();
  if (models_.empty() && settings_.host.name_in_tag) {
    co_return base::Fault(base::Side::us, "not_known",
                          "the router does not say which models it has: try again later");
  }
  auto any = false;
  if (models_.empty()) {
    auto const saved = co_await vault_.forget(id, "");
    if (saved.has_error()) co_return saved.error();
    any = *saved;
  }
  std::vector<std::string> names;
  for (auto const& [name, one] : models_) names.push_back(name);
  for (auto const& name : names) {
    auto const done = co_await host_of(name).forget(id);
    if (done.has_error()) co_return done.error();
    any = any || *done;
  }
  co_return any;
}

net::awaitable<void> Router::resume() {
  co_await settle();
  std::vector<std::string> names;
  // Looking at a sleeping one would wake it, and nothing is left in it.
  for (auto const& [name, one] : models_) {
    if (roster_.presence(name) == slots::Presence::present) names.push_back(name);
  }
  for (auto const& name : names) {
    if (vault_.book().has(settings_.host.name + "/" + name, settings_.host.slots.id))
      co_await host_of(name).resume();
  }
}

void Router::lost(std::string const& model) {
  auto const name = ids_.find(model);
  for (auto const& [id, one] : models_) {
    auto const meant = model.empty() || (name != ids_.end() && name->second == id);
    if (meant && one->host) one->host->lost();
  }
}

void Router::close() {
  closed_ = true;
  for (auto const& [id, one] : models_) {
    if (one->host) one->host->close();
  }
  pause_.notify();
  if (stream_) stream_->close();
  wake();
}

net::awaitable<void> Router::drain() {
  std::vector<Host*> hosts;
  for (auto const& [id, one] : models_) {
    if (one->host) hosts.push_back(one->host.get());
  }
  for (auto* host : hosts) co_await host->drain();
}

}  // namespace slotswap::swap
