// The whole proxy on one loop: wires the rooms from a configuration, listens, and ends in order.
// Loop thread.
#pragma once

#include <slotswap/base/fault.hpp>
#include <slotswap/config/config.hpp>
#include <slotswap/net/listener.hpp>
#include <slotswap/net/loop.hpp>
#include <slotswap/proxy/proxy.hpp>
#include <slotswap/swap/host.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace slotswap::app {

struct ServiceOptions {
  ServiceOptions() = default;
  swap::KeeperTimes times;  // tests run them faster, by the simulated server's scale
  std::shared_ptr<store::FileSystem> files;  // null: the real one
};

class Service {
 public:
  Service(net::Loop& loop, config::Config config, ServiceOptions options = ServiceOptions());
  ~Service();

  /// Opens folders and listeners. Before the loop runs. Faults: listen, tls, disk.
  base::Result<void> start();
  std::uint16_t port() const { return listener_->port(); }
  std::uint16_t admin_port() const { return admin_ ? admin_->port() : std::uint16_t{0}; }

  /// Stops accepting, turns away what waits, gives running answers `drain`, cuts them, saves what
  /// is dirty, then calls `done`. A second call cuts and saves at once.
  void stop(std::function<void()> done);

  swap::Host const* host(std::string const& server) const;

 private:
  struct Server;
  base::Result<void> add_server(std::size_t index);
  base::Result<swap::Vault*> vault_for(std::string const& folder, std::string const& server);
  net::awaitable<void> drain(std::function<void()> done);
  net::awaitable<void> handle_admin(net::Incoming& incoming);

  net::Loop& loop_;
  config::Config config_;
  ServiceOptions options_;
  net::TaskGroup tasks_;
  std::map<std::string, std::unique_ptr<swap::Vault>> vaults_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::unique_ptr<proxy::Proxy> proxy_;
  std::unique_ptr<net::Listener> listener_;
  std::unique_ptr<net::Listener> admin_;
  net::Signal hurry_;
  net::TaskGroup ending_;
  bool stopping_ = false;
};

}  // namespace slotswap::app
