// The way in: a request's model, its room, its turn at the slot.
#include "router_model.hpp"

#include <slotswap/base/text.hpp>
#include <slotswap/telemetry/log.hpp>

namespace slotswap::swap {

namespace {

// A model that others load and unload beside us may be gone again when its turn has come.
constexpr int most_tries = 4;
constexpr auto time_to_notice = std::chrono::seconds(1);

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

// The first route that names it, by its id or an alias.
config::Slots const& Router::settings_of(std::string const& id) const {
  for (auto const& route : settings_.host.routes) {
    for (auto const& [name, of] : ids_) {
      if (of == id && base::glob_match(route.models, name)) return route.slots;
    }
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
  settings.pool = nullptr;
  one.host = std::make_unique<Host>(loop_, tasks_, one.server, vault_, std::move(settings));
  if (closed_) one.host->close();
  if (aside_) one.host->set_aside(true);
  return *one.host;
}

std::string Router::id_of(std::string const& name) const {
  auto const place = ids_.find(name);
  return place == ids_.end() ? name : place->second;
}

Host const* Router::host(std::string const& model) const {
  auto const place = models_.find(id_of(model));
  return place == models_.end() ? nullptr : place->second->host.get();
}

net::awaitable<base::Result<Admission>> Router::admit(Visitor visitor, Cancel& cancel) {
  auto const entered = loop_.now();
  co_await settle();
  auto const id = co_await resolve(visitor.model);
  // The router's own error says so.
  if (!id) co_return Admission();
  if (visitor.need == Need::unload) co_return co_await leave_to(*id, cancel);
  auto const use = std::make_shared<Use>(*this, *id);
  auto const loads = visitor.may_load && (autoload_ || visitor.need == Need::load);
  Admission admission;
  for (int tries = 1;; ++tries) {
    auto placed = base::Result<bool>(false);
    if (loads) placed = co_await place(*id, visitor.need, cancel, *use);
    if (placed.has_error()) co_return placed.error();
    use->begin();
    if (visitor.need != Need::slot) break;
    auto const waited = loop_.now() - entered;
    auto const endings = model(*id).endings;
    auto admitted = co_await host_of(*id).admit(visitor, cancel);
    if (admitted.has_error()) co_return admitted.error();
    admission = std::move(*admitted);
    admission.waited = waited;
    if (!*placed || tries == most_tries || cancel.requested()) break;
    auto const ended = co_await ended_meanwhile(*id, admission, endings, cancel);
    if (!ended) break;
    if (admission.lease) admission.lease->finish(slots::Outcome());
    admission = Admission();
  }
  admission.use = use;
  if (visitor.need != Need::slot)
    admission.answered = [this, need = visitor.need, id = *id](int status) {
      answered(need, id, status);
    };
  co_return admission;
}

// The answer may be here before the event: the room must not be given away in between.
void Router::answered(Need need, std::string const& id, int status) {
  if (status < 200 || status > 299 || roster_.presence(id) != slots::Presence::absent) return;
  saw(id, need == Need::load ? llama::ModelStatus::loading : llama::ModelStatus::loaded);
}

// Whether the process that was to be used is gone: what its slot was prepared for has to be done
// again in another one.
net::awaitable<bool> Router::ended_meanwhile(std::string id, Admission const& admission,
                                             std::uint64_t endings, Cancel& cancel) {
  auto const doubt =
      !admission.skipped.empty() || (admission.lease && !admission.lease->swapped.note.empty());
  if (!doubt) co_return false;
  // The router may not have noticed yet.
  auto const until = loop_.now() + time_to_notice;
  auto& one = model(id);
  for (;;) {
    co_await refresh();
    if (roster_.presence(id) == slots::Presence::absent || one.endings != endings) co_return true;
    auto const props = co_await one.server.props();
    if (props.has_value() || loop_.now() >= until || cancel.requested()) co_return false;
    co_await changed(until, &cancel);
  }
}

net::awaitable<base::Result<bool>> Router::forget(std::string id) {
  co_await settle();
  if (models_.empty() && !settings_.host.folder_name.empty()) {
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
  auto const meant = id_of(model);
  for (auto const& [id, one] : models_) {
    if (one->host && (model.empty() || id == meant)) one->host->lost();
  }
}

void Router::set_aside(bool aside) {
  aside_ = aside;
  for (auto const& [id, one] : models_) {
    if (one->host) one->host->set_aside(aside);
  }
}

void Router::moved_away(std::string const& session) {
  for (auto const& [id, one] : models_) {
    if (one->host) one->host->moved_away(session);
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
