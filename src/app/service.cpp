#include "service_server.hpp"

#include <slotswap/base/text.hpp>
#include <slotswap/http/problem.hpp>
#include <slotswap/llama/server.hpp>
#include <slotswap/net/upstream.hpp>
#include <slotswap/session/session.hpp>
#include <slotswap/store/file_system.hpp>
#include <slotswap/telemetry/log.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace slotswap::app {

namespace {

using telemetry::Level;
using telemetry::Line;

// How often the drain looks whether the last answer has ended.
constexpr auto drain_look = std::chrono::milliseconds(50);

net::UpstreamSettings upstream_settings(config::Server const& server) {
  net::UpstreamSettings settings;
  settings.host = server.url.host;
  settings.port = server.url.port;
  settings.path = server.url.path;
  settings.server_name = server.server_name;
  if (server.url.tls) settings.tls = server.files;
  settings.connect = server.connect;
  return settings;
}

net::ListenerSettings listener_settings(config::Config const& config,
                                        config::ListenAddress const& address) {
  net::ListenerSettings settings;
  settings.host = address.host;
  settings.port = address.port;
  settings.path = address.path;
  settings.tls = address.tls;
  settings.head_bytes = config.limits.head_bytes;
  settings.max_connections = config.limits.connections;
  settings.header_read = config.limits.header_read;
  settings.body_read = config.limits.body_read;
  settings.write_stall = config.limits.write_stall;
  settings.keep_alive = config.limits.keep_alive;
  settings.rejected = [](std::string const& peer, base::Fault const& fault) {
    Line(Level::info, "reject").field("peer", peer).field("code", fault.code).say(fault.detail);
  };
  return settings;
}

void say_listening(config::ListenAddress address, std::uint16_t port, std::string_view whom) {
  address.port = port;
  Line line(Level::info, "listen");
  line.field("address", config::to_string(address)).field("for", whom);
  if (address.tls) line.field("tls", true);
}

}  // namespace

base::Result<std::unique_ptr<Service::Server>> make_server(net::Loop& loop,
                                                           config::Server const& settings) {
  auto upstream = net::make_upstream(loop, upstream_settings(settings));
  if (upstream.has_error()) {
    auto fault = upstream.error();
    fault.detail = "server " + settings.name + ": " + fault.detail;
    return fault;
  }
  return std::make_unique<Service::Server>(std::move(*upstream), settings);
}

Service::Service(net::Loop& loop, config::Config config, ServiceOptions options)
    : loop_(loop),
      config_(std::move(config)),
      options_(std::move(options)),
      tasks_(loop),
      hurry_(loop),
      waiting_(loop),
      ending_(loop) {
  if (!options_.files) options_.files = store::posix_file_system();
}

Service::~Service() = default;

base::Result<void> Service::add_server(std::size_t index) {
  auto const& settings = config_.servers[index];
  auto made = make_server(loop_, settings);
  if (made.has_error()) return made.error();
  auto server = std::move(*made);
  if (auto const* slots = first_slots(config_, index)) {
    swap::RouterSettings router;
    router.models_max = settings.models_max;
    router.load_timeout = settings.load_timeout;
    auto& host = router.host;
    host.name = settings.name;
    host.slots = *slots;
    host.folder_name = folder_name(config_, index);
    host.pool = pool_of(index);
    host.max_folder_bytes = config_.max_bytes;
    host.times = options_.times;
    for (auto const& route : config_.routes) {
      if (!leads_to(route, index) || !route.slots) continue;
      auto const& models = route.upstream_model.empty() ? route.model : route.upstream_model;
      host.routes.emplace_back(route.model, models, *route.slots);
    }
    server->gate = std::make_unique<swap::Gate>(loop_, tasks_, server->llama, vault_for(*slots),
                                                std::move(router));
  }
  servers_.push_back(std::move(server));
  return {};
}

// One with all that come before it, or the first.
std::shared_ptr<swap::Pool> Service::pool_of(std::size_t server) {
  auto& pool = lines_[pools_[server]];
  if (!pool) pool = std::make_shared<swap::Pool>(loop_, tasks_);
  return pool;
}

std::vector<swap::Member> Service::members() const {
  std::vector<swap::Member> members;
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    auto const has_others = [i](config::Route const& route) {
      return route.servers.size() > 1 && leads_to(route, i);
    };
    auto const& routes = config_.routes;
    members.emplace_back(config_.servers[i].name, servers_[i]->llama, servers_[i]->gate.get(),
                         std::any_of(routes.begin(), routes.end(), has_others));
  }
  return members;
}

base::Result<void> Service::start() {
  pools_ = pools_of(config_);
  for (std::size_t i = 0; i < config_.servers.size(); ++i) {
    auto const added = add_server(i);
    if (added.has_error()) return added.error();
  }
  std::vector<proxy::Backend> backends;
  for (std::size_t i = 0; i < config_.servers.size(); ++i) {
    backends.emplace_back(config_.servers[i], servers_[i]->llama, servers_[i]->gate.get(),
                          pools_[i]);
  }
  group_ = std::make_unique<swap::Group>(loop_, tasks_, members(), options_.pauses);
  proxy_ = std::make_unique<proxy::Proxy>(loop_, tasks_, config_, std::move(backends), *group_,
                                          options_.times, options_.small_tokens);
  admin::Actions actions;
  actions.health = [this](net::Incoming& incoming) { return proxy_->handle(incoming); };
  actions.forget = [this](std::string route, std::string id) {
    return forget(std::move(route), std::move(id));
  };
  office_ = std::make_unique<admin::Admin>(std::move(actions));
  auto const taken = take_folders();
  if (taken.has_error()) return taken.error();
  if (*taken) return listen();
  tasks_.spawn("folders", wait_for_folders());
  return {};
}

base::Result<void> Service::listen() {
  auto handler = [this](net::Incoming& incoming) { return proxy_->handle(incoming); };
  auto listener = net::listen(loop_, listener_settings(config_, config_.listen), handler);
  if (listener.has_error()) return listener.error();
  listener_ = std::move(*listener);
  say_listening(config_.listen, port(), "clients");
  if (!config_.admin) return {};
  auto on_admin = [this](net::Incoming& incoming) { return office_->handle(incoming); };
  auto admin = net::listen(loop_, listener_settings(config_, *config_.admin), on_admin);
  if (admin.has_error()) return admin.error();
  admin_ = std::move(*admin);
  say_listening(*config_.admin, admin_port(), "admin");
  return {};
}

void Service::reload() {
  auto any = false;
  auto const read = [&any](auto& part, std::string_view key, std::string const& name) {
    if (!part.secure()) return;
    any = true;
    auto const renewed = part.renew();
    if (renewed.has_value()) {
      Line(Level::info, "reload").field(key, name).say("the certificates were read again");
    } else {
      Line(Level::error, "reload")
          .field(key, name)
          .field("code", renewed.error().code)
          .say(renewed.error().detail + "; the old certificates stay in use");
    }
  };
  if (listener_) read(*listener_, "for", "clients");
  if (admin_) read(*admin_, "for", "admin");
  for (std::size_t i = 0; i < servers_.size(); ++i)
    read(*servers_[i]->upstream, "server", config_.servers[i].name);
  if (!any) Line(Level::info, "reload").say("there are no certificates to read again");
}

// Under its client's name or, as the log shows it, under the state's.
net::awaitable<base::Result<bool>> Service::forget(std::string route, std::string id) {
  for (auto const& one : config_.routes) {
    if (one.model != route) continue;
    if (!servers_[one.server]->gate)
      co_return base::Fault(base::Side::client, "no_route", "the route has no slots: " + route);
    auto any = false;
    std::set<std::string> names{session::state_id(id)};
    if (base::is_hex32(id)) names.insert(id);
    for (auto const& name : std::set<std::string>(names)) names.insert(session::isolated_id(name));
    for (auto const& name : names) {
      auto const remembered = proxy_->forget(pools_[one.server], name);
      auto const done = co_await forget_in_pool(pools_[one.server], name);
      if (done.has_error()) co_return done.error();
      any = any || *done || remembered;
    }
    co_return any;
  }
  co_return base::Fault(base::Side::client, "no_route", "no route is named " + route);
}

// One server that was asked what it serves is enough: the states are the same for all, and nothing
// is known to be in the slots of one that was not.
net::awaitable<base::Result<bool>> Service::forget_in_pool(std::size_t pool, std::string name) {
  std::optional<base::Fault> unknown;
  auto known = false;
  auto any = false;
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (pools_[i] != pool || !servers_[i]->gate) continue;
    auto const done = co_await servers_[i]->gate->forget(name);
    if (done.has_error() && done.error().code != "not_known") co_return done.error();
    if (done.has_error()) unknown = done.error();
    known = known || done.has_value();
    any = any || (done.has_value() && *done);
  }
  if (!known && unknown) co_return *unknown;
  co_return any;
}

void Service::stop(std::function<void()> done) {
  if (std::exchange(stopping_, true)) return hurry_.notify();
  Line(Level::info, "stop").say("stopping: no new requests; answers under way may end");
  ending_.spawn("drain", drain(std::move(done)));
}

net::awaitable<void> Service::end_listeners() {
  if (!listener_) co_return;
  listener_->stop_accepting();
  auto const until = loop_.now() + config_.drain;
  bool hurried = false;
  while (!hurried && listener_->connections() > 0 && loop_.now() < until) {
    hurried = co_await hurry_.wait_until(std::min(until, loop_.now() + drain_look));
  }
  auto const cut = listener_->answering();
  if (cut > 0)
    Line(Level::warning, "stop").field("cut", cut).say("answers still under way were cut");
  listener_->close_all();
  if (admin_) admin_->close_all();
}

net::awaitable<void> Service::drain(std::function<void()> done) {
  proxy_->stop();
  group_->close();
  waiting_.notify();
  for (auto const& server : servers_) {
    if (server->gate) server->gate->close();
  }
  co_await end_listeners();
  for (auto const& server : servers_) {
    if (server->gate) tasks_.spawn("last save", server->gate->drain());
  }
  for (auto const& [folder, vault] : vaults_) vault->close();
  co_await tasks_.join(base::TimePoint::max());
  for (auto const& [folder, vault] : vaults_) co_await vault->finish();
  // What a connection's coroutine holds must not outlive the rooms it points into.
  while (listener_ && (listener_->connections() > 0 || (admin_ && admin_->connections() > 0))) {
    co_await hurry_.wait_until(loop_.now() + drain_look);
  }
  Line(Level::info, "stop").say("stopped");
  done();
}

swap::Host const* Service::host(std::string const& server, std::string const& model) const {
  for (std::size_t i = 0; i < config_.servers.size(); ++i) {
    auto const* gate = servers_[i]->gate.get();
    if (config_.servers[i].name == server && gate != nullptr) return gate->host(model);
  }
  return nullptr;
}

}  // namespace slotswap::app
