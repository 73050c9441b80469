#include <slotswap/app/service.hpp>
#include <slotswap/base/text.hpp>
#include <slotswap/http/problem.hpp>
#include <slotswap/llama/server.hpp>
#include <slotswap/net/upstream.hpp>
#include <slotswap/store/file_system.hpp>
#include <slotswap/telemetry/log.hpp>

#include <algorithm>
#include <utility>

namespace slotswap::app {

namespace {

using telemetry::Level;
using telemetry::Line;

// How often the drain looks whether the last answer has ended.
constexpr auto drain_look = std::chrono::milliseconds(50);

net::UpstreamSettings upstream_settings(config::Server const& server) {
  net::UpstreamSettings settings;
  settings.tls = server.url.tls;
  settings.host = server.url.host;
  settings.port = server.url.port;
  settings.ca_file = server.ca_file;
  settings.connect = server.connect;
  return settings;
}

net::ListenerSettings listener_settings(config::Config const& config,
                                        config::ListenAddress const& address) {
  net::ListenerSettings settings;
  settings.host = address.host;
  settings.port = address.port;
  settings.head_bytes = config.limits.head_bytes;
  settings.max_connections = config.limits.connections;
  settings.header_read = config.limits.header_read;
  settings.keep_alive = config.limits.keep_alive;
  settings.rejected = [](std::string const& peer, base::Fault const& fault) {
    Line(Level::info, "reject").field("peer", peer).field("code", fault.code).say(fault.detail);
  };
  return settings;
}

config::Slots const* first_slots(config::Config const& config, std::size_t server) {
  for (auto const& route : config.routes) {
    if (route.server == server && route.slots) return &*route.slots;
  }
  return nullptr;
}

/// Two servers that save into one folder must not share the names of a model they both serve.
bool shares_folder(config::Config const& config, std::size_t server) {
  auto const* own = first_slots(config, server);
  if (own == nullptr || own->save_path.empty()) return false;
  for (std::size_t other = 0; other < config.servers.size(); ++other) {
    auto const* slots = other == server ? nullptr : first_slots(config, other);
    if (slots != nullptr && slots->save_path == own->save_path) return true;
  }
  return false;
}

}  // namespace

struct Service::Server {
  Server(std::unique_ptr<net::Upstream> upstream_, config::Server const& settings)
      : upstream(std::move(upstream_)), llama(*upstream, settings.url.prefix, settings.api_key) {}
  std::unique_ptr<net::Upstream> upstream;
  llama::Server llama;
  std::unique_ptr<swap::Host> host;
};

Service::Service(net::Loop& loop, config::Config config, ServiceOptions options)
    : loop_(loop),
      config_(std::move(config)),
      options_(std::move(options)),
      tasks_(loop),
      hurry_(loop),
      ending_(loop) {
  if (!options_.files) options_.files = store::posix_file_system();
}

Service::~Service() = default;

base::Result<swap::Vault*> Service::vault_for(std::string const& folder,
                                              std::string const& server) {
  // Without a visible folder each server has states of its own.
  auto& vault = vaults_[folder.empty() ? "of " + server : folder];
  if (vault) return vault.get();
  vault = std::make_unique<swap::Vault>(loop_, tasks_, options_.files, folder);
  auto const opened = vault->open();
  if (opened.has_error()) return opened.error();
  return vault.get();
}

base::Result<void> Service::add_server(std::size_t index) {
  auto const& settings = config_.servers[index];
  auto upstream = net::make_upstream(loop_, upstream_settings(settings));
  if (upstream.has_error()) return upstream.error();
  auto server = std::make_unique<Server>(std::move(*upstream), settings);
  if (auto const* slots = first_slots(config_, index)) {
    swap::HostSettings host;
    host.name = settings.name;
    host.slots = *slots;
    host.name_in_tag = shares_folder(config_, index);
    host.max_folder_bytes = config_.max_bytes;
    host.times = options_.times;
    auto const vault = vault_for(slots->save_path, settings.name);
    if (vault.has_error()) return vault.error();
    server->host =
        std::make_unique<swap::Host>(loop_, tasks_, server->llama, **vault, std::move(host));
  }
  servers_.push_back(std::move(server));
  return {};
}

base::Result<void> Service::start() {
  for (std::size_t i = 0; i < config_.servers.size(); ++i) {
    auto const added = add_server(i);
    if (added.has_error()) return added.error();
  }
  std::vector<proxy::Backend> backends;
  for (std::size_t i = 0; i < config_.servers.size(); ++i) {
    backends.emplace_back(config_.servers[i], servers_[i]->llama, servers_[i]->host.get());
  }
  proxy_ = std::make_unique<proxy::Proxy>(loop_, config_, std::move(backends));
  auto handler = [this](net::Incoming& incoming) { return proxy_->handle(incoming); };
  auto listener = net::listen(loop_, listener_settings(config_, config_.listen), handler);
  if (listener.has_error()) return listener.error();
  listener_ = std::move(*listener);
  Line(Level::info, "listen")
      .field("address", base::host_and_port(config_.listen.host, port()))
      .field("for", "clients");
  if (!config_.admin) return {};
  auto on_admin = [this](net::Incoming& incoming) { return handle_admin(incoming); };
  auto admin = net::listen(loop_, listener_settings(config_, *config_.admin), on_admin);
  if (admin.has_error()) return admin.error();
  admin_ = std::move(*admin);
  Line(Level::info, "listen")
      .field("address", base::host_and_port(config_.admin->host, admin_port()))
      .field("for", "admin");
  return {};
}

net::awaitable<void> Service::handle_admin(net::Incoming& incoming) {
  if (incoming.head().method == "GET" && incoming.head().target == "/slotswap/health") {
    co_await proxy_->handle(incoming);
    co_return;
  }
  http::Problem problem(404, "not_found", "the admin listener answers GET /slotswap/health");
  co_await incoming.respond(std::move(problem));
}

void Service::stop(std::function<void()> done) {
  if (std::exchange(stopping_, true)) return hurry_.notify();
  Line(Level::info, "stop").say("stopping: no new requests; answers under way may end");
  ending_.spawn("drain", drain(std::move(done)));
}

net::awaitable<void> Service::drain(std::function<void()> done) {
  proxy_->stop();
  listener_->stop_accepting();
  for (auto const& server : servers_) {
    if (server->host) server->host->close();
  }
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
  for (auto const& server : servers_) {
    if (server->host) tasks_.spawn("last save", server->host->drain());
  }
  co_await tasks_.join(base::TimePoint::max());
  // What a connection's coroutine holds must not outlive the rooms it points into.
  while (listener_->connections() > 0 || (admin_ && admin_->connections() > 0)) {
    co_await hurry_.wait_until(loop_.now() + drain_look);
  }
  Line(Level::info, "stop").say("stopped");
  done();
}

swap::Host const* Service::host(std::string const& server) const {
  for (std::size_t i = 0; i < config_.servers.size(); ++i) {
    if (config_.servers[i].name == server) return servers_[i]->host.get();
  }
  return nullptr;
}

}  // namespace slotswap::app
