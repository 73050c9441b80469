// The way of a request through the house: read, route, key, lease, forward, tap, settle, log
// (docs/architecture.md). Owns nothing that outlives it but the history of prompts. Loop thread.
#pragma once

#include <slotswap/config/config.hpp>
#include <slotswap/llama/server.hpp>
#include <slotswap/net/incoming.hpp>
#include <slotswap/net/loop.hpp>
#include <slotswap/prompt/history.hpp>
#include <slotswap/session/seen.hpp>
#include <slotswap/slots/line.hpp>
#include <slotswap/swap/gate.hpp>
#include <slotswap/swap/group.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slotswap::proxy {

/// A server as the proxy uses it.
struct Backend {
  Backend(config::Server const& settings_, llama::Server& server_, swap::Gate* gate_,
          std::size_t pool_)
      : settings(settings_), server(server_), gate(gate_), pool(pool_) {}
  config::Server const& settings;
  llama::Server& server;
  swap::Gate* gate;  // null: no route of this server has slots
  std::size_t pool;  // the first of the servers that have one line
};

class Proxy {
 public:
  /// `backends` in the order of config.servers. All of it outlives the proxy. `small_tokens`: a new
  /// session whose prompt is estimated below is not saved before its second request; 0: each is.
  Proxy(net::Loop& loop, net::TaskGroup& tasks, config::Config const& config,
        std::vector<Backend> backends, swap::Group& group, swap::KeeperTimes times,
        std::uint64_t small_tokens);

  /// The handler of the client listener.
  net::awaitable<void> handle(net::Incoming& incoming);

  /// The last prompt of a session of this pool is not remembered any more; whether it was.
  bool forget(std::size_t pool, std::string const& session);

  /// From now on health says 503, so that a balancer turns away.
  void stop() { stopping_ = true; }

 private:
  friend class Exchange;

  /// The first route whose pattern matches; without a model the first of all. None: no route serves
  /// it.
  std::optional<std::size_t> route_of(std::optional<std::string> const& model) const;
  /// Of all models of the pool; the one's name may follow.
  static std::string history_key(std::size_t pool, std::string const& session);
  void skip_once(std::string const& route, std::string const& why, std::string const& session);

  net::Loop& loop_;
  net::TaskGroup& tasks_;
  swap::KeeperTimes times_;
  config::Config const& config_;
  std::vector<Backend> backends_;
  swap::Group& group_;
  std::shared_ptr<net::Budget> budget_;
  prompt::History history_;
  slots::Line line_;
  std::uint64_t small_tokens_;
  session::Seen seen_;
  std::set<std::pair<std::string, std::string>> skipped_;
  std::uint64_t last_id_ = 0;
  bool stopping_ = false;
};

}  // namespace slotswap::proxy
