// The whole proxy on one loop: wires the rooms from a configuration, listens, and ends in order.
// Loop thread.
#pragma once

#include <slotswap/admin/admin.hpp>
#include <slotswap/base/fault.hpp>
#include <slotswap/config/config.hpp>
#include <slotswap/net/listener.hpp>
#include <slotswap/net/loop.hpp>
#include <slotswap/proxy/proxy.hpp>
#include <slotswap/slots/servers.hpp>
#include <slotswap/swap/group.hpp>
#include <slotswap/swap/host.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace slotswap::app {

struct ServiceOptions {
  ServiceOptions() = default;
  swap::KeeperTimes times;  // tests run them faster, by the simulated server's scale
  slots::Pauses pauses;     // of a server that is set aside
  std::shared_ptr<store::FileSystem> files;  // null: the real one
  /// How long a start waits for another slotswap to leave the folders, and how often it looks.
  base::Duration lock_wait{std::chrono::minutes(1)};
  base::Duration lock_look{std::chrono::milliseconds(500)};
  /// A new session whose prompt is estimated below is not saved before its second request; 0: all
  /// are saved.
  std::uint64_t small_tokens = 512;
  /// Called when it cannot listen after such a wait.
  std::function<void()> failed;
};

class Service {
 public:
  Service(net::Loop& loop, config::Config config, ServiceOptions options = ServiceOptions());
  ~Service();

  /// Opens folders and listeners. Before the loop runs. Faults: listen, tls, disk. Where another
  /// slotswap has a folder it listens later, and swaps no slots before that one has left.
  base::Result<void> start();
  /// 0: not listening yet.
  std::uint16_t port() const { return listener_ ? listener_->port() : std::uint16_t{0}; }
  std::uint16_t admin_port() const { return admin_ ? admin_->port() : std::uint16_t{0}; }

  /// Reads the files of certificates again, for connections that come from now on.
  void reload();

  /// Stops accepting, turns away what waits, gives running answers `drain`, cuts them, saves what
  /// is dirty, then calls `done`. A second call cuts and saves at once.
  void stop(std::function<void()> done);

  /// Of a single server, or of a router's model; null: there is none, or it was not used yet.
  swap::Host const* host(std::string const& server, std::string const& model = {}) const;

  /// Work under way that no client waits for: settling, idle saves, what a folder has to do.
  std::size_t tasks() const { return tasks_.running(); }

  struct Server;  // of the wiring, src/app/service_server.hpp

 private:
  base::Result<void> add_server(std::size_t index);
  std::vector<swap::Member> members() const;
  std::shared_ptr<swap::Pool> pool_of(std::size_t server);
  base::Result<void> listen();
  net::awaitable<base::Result<bool>> forget(std::string route, std::string id);
  net::awaitable<base::Result<bool>> forget_in_pool(std::size_t pool, std::string name);
  net::awaitable<void> drain(std::function<void()> done);
  net::awaitable<void> end_listeners();
  // service_folders.cpp
  swap::Vault& vault_for(config::Slots const& slots);
  base::Result<bool> take_folders();
  net::awaitable<void> wait_for_folders();
  void open(swap::Vault& vault);

  net::Loop& loop_;
  config::Config config_;
  ServiceOptions options_;
  net::TaskGroup tasks_;
  std::map<std::string, std::unique_ptr<swap::Vault>> vaults_;  // by state_dir
  std::vector<std::size_t> pools_;  // of each server the first one of those with one line
  std::map<std::size_t, std::shared_ptr<swap::Pool>> lines_;  // by that one
  std::vector<std::unique_ptr<Server>> servers_;
  std::unique_ptr<swap::Group> group_;
  std::unique_ptr<proxy::Proxy> proxy_;
  std::unique_ptr<net::Listener> listener_;
  std::unique_ptr<admin::Admin> office_;
  std::unique_ptr<net::Listener> admin_;
  net::Signal hurry_;
  net::Signal waiting_;  // for folders that another slotswap has
  net::TaskGroup ending_;
  bool stopping_ = false;
};

}  // namespace slotswap::app
