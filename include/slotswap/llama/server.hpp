// The calls we make to one llama-server on our own: facts, models, slot actions. Each is bounded,
// and sent again only when a kept connection turned out to be closed before a byte of an answer
// came. Faults: "refused" (an answer that is no 2xx; detail has status and the server's words),
// "refused_key" (401, 403), "loading" (503), and those of net::Upstream. Loop thread.
#pragma once

#include <slotswap/base/fault.hpp>
#include <slotswap/llama/facts.hpp>
#include <slotswap/net/upstream.hpp>

#include <optional>
#include <string>
#include <vector>

namespace slotswap::llama {

class Server {
 public:
  /// `prefix`: of the server's URL, "" or "/path". `api_key` empty: none.
  Server(net::Upstream& upstream, std::string prefix, std::string api_key);

  net::awaitable<base::Result<Props>> props();
  /// Blocks at the server while a slot action runs; counts as activity there.
  net::awaitable<base::Result<std::vector<SlotLook>>> slots(base::Duration timeout);
  /// The model of a single server.
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

  net::Upstream& upstream_;
  std::string prefix_;
  std::string api_key_;
};

}  // namespace slotswap::llama
