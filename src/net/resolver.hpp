// Names to addresses, beside the loop: getaddrinfo cannot be cancelled, so nobody waits inside it
// past a deadline, and the last good answer is kept for when the next one fails. Loop thread.
#pragma once

#include <slotswap/base/fault.hpp>
#include <slotswap/net/loop.hpp>

#include <boost/asio/ip/tcp.hpp>

#include <memory>
#include <string>
#include <vector>

namespace slotswap::net {

using tcp = asio::ip::tcp;

class Resolver {
 public:
  Resolver(Loop& loop, std::string host, std::uint16_t port);
  ~Resolver();

  /// Known addresses at once (asking again beside when they are older than 30 s), else those that
  /// come before `deadline`.
  awaitable<base::Result<std::vector<tcp::endpoint>>> endpoints(TimePoint deadline);

 private:
  struct State;
  static awaitable<void> ask(std::shared_ptr<State> state);
  void start();
  std::shared_ptr<State> state_;
};

}  // namespace slotswap::net
