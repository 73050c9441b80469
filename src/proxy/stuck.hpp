// Notices a request that the server took and forgot: no answer begins while its slot stands idle
// (docs/llama-server.md). Loop thread.
#pragma once

#include <slotswap/llama/server.hpp>
#include <slotswap/net/loop.hpp>
#include <slotswap/net/upstream.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace slotswap::proxy {

/// For how long a slot was seen idle, look after look. Pure.
class IdleCount {
 public:
  explicit IdleCount(base::Duration limit) : limit_(limit) {}
  /// True: as long as the limit. A slot that ran something since the last look was not idle.
  bool saw(llama::SlotLook const& look, base::TimePoint now);
  /// Nobody knows what it does: that counts as busy.
  void interrupted() { since_.reset(); }

 private:
  base::Duration limit_;
  std::optional<base::TimePoint> since_;
  std::optional<std::int64_t> task_;
};

struct StuckTimes {
  StuckTimes() = default;
  base::Duration stuck{};       // idle for so long
  base::Duration look_again{};  // at least so long between two looks
  base::Duration look{};        // for one look, at most
};

class StuckWatch {
 public:
  /// `server`: the one whose slot it is, on a router the model's. A look may outlast the watch.
  StuckWatch(net::Loop& loop, net::TaskGroup& tasks, llama::Server server, int slot,
             StuckTimes times);
  ~StuckWatch() { stop(); }
  StuckWatch(StuckWatch const&) = delete;
  StuckWatch& operator=(StuckWatch const&) = delete;

  /// The connection is closed when the request that was sent on it is stuck.
  void start(std::shared_ptr<net::UpstreamConnection> connection);
  /// Whether it was.
  bool stop();

 private:
  struct Wait;
  static net::awaitable<void> watch(std::shared_ptr<Wait> wait);

  net::Loop& loop_;
  net::TaskGroup& tasks_;
  llama::Server server_;
  int slot_;
  StuckTimes times_;
  std::shared_ptr<Wait> wait_;
};

}  // namespace slotswap::proxy
