// The calls we make to one llama-server on our own: facts, models, slot actions. Each is bounded,
// and sent again only when a kept connection turned out to be closed before a byte of an answer
// came. One for a model of a router names the model in each call, and none of its calls loads it.
// Faults: "refused" (an answer that is no 2xx; detail has status and the server's words),
// "refused_key" (401, 403), "loading" (503), and those of net::Upstream. Loop thread.
#pragma once

#include <slotswap/base/fault.hpp>
#include <slotswap/llama/facts.hpp>
#include <slotswap/llama/router.hpp>
#include <slotswap/net/upstream.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slotswap::llama {

class Server {
 public:
  /// `prefix`: of the server's URL, "" or "/path". `api_key` empty: none.
  Server(net::Upstream& upstream, std::string prefix, std::string api_key);

  /// The same server as far as one model of it is concerned.
  Server for_model(std::string id) const;

  net::awaitable<base::Result<Props>> props();
  /// GET /health, which touches no model. On a `connection` that the caller may close meanwhile.
  net::awaitable<base::Result<void>> health(std::shared_ptr<net::UpstreamConnection> connection);
  /// Blocks at the server while a slot action runs; counts as activity there.
  net::awaitable<base::Result<std::vector<SlotLook>>> slots(base::Duration timeout);
  /// The model of a single server, or this one of a router.
  net::awaitable<base::Result<Model>> model();
  /// read_adapters; empty from a server that knows no such path.
  net::awaitable<base::Result<std::string>> adapters();
  net::awaitable<Probe> probe();

  net::awaitable<base::Result<Saved>> save(int slot, std::string const& file,
                                           base::Duration timeout);
  /// Never sent twice, as a file may be what ended the connection: upstream_broken with retry
  /// reused_only where the connection was a kept one.
  net::awaitable<base::Result<Restored>> restore(int slot, std::string const& file,
                                                 base::Duration timeout, bool fresh = false);
  net::awaitable<base::Result<std::int64_t>> erase(int slot, base::Duration timeout);

  // Of a router.
  net::awaitable<base::Result<std::vector<RouterModel>>> models();
  /// Returns before it is done. Refused where it runs already or there is no room.
  net::awaitable<base::Result<void>> load(std::string id);
  net::awaitable<base::Result<void>> unload(std::string id);
  /// GET /models/sse, held open until it ends or `connection` is closed. `connected` is called
  /// when events begin to be seen, `event` with the data of each. Ends with the fault of its end;
  /// "refused" where this server has no such stream.
  using OnEvent = std::function<void(std::string const& data)>;
  net::awaitable<base::Fault> follow_events(std::shared_ptr<net::UpstreamConnection> connection,
                                            std::function<void()> connected, OnEvent event);

  net::Upstream& upstream() { return upstream_; }
  std::string const& prefix() const { return prefix_; }
  std::string const& api_key() const { return api_key_; }

 private:
  net::awaitable<base::Result<std::string>> ask(std::string method, std::string path,
                                                std::string body, base::Duration timeout,
                                                net::Use use = net::Use::kept);
  net::awaitable<base::Result<std::string>> act(int slot, std::string action, std::string file,
                                                base::Duration timeout,
                                                net::Use use = net::Use::kept);
  std::string scoped(std::string path) const;
  net::awaitable<base::Result<void>> tell(std::string path, std::string id);

  net::Upstream& upstream_;
  std::string prefix_;
  std::string model_;  // on a router; empty: the server itself
  std::string api_key_;
};

}  // namespace slotswap::llama
