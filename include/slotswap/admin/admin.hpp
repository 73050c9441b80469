// The operator's listener: what may be asked of a running slotswap (docs/config.md, "The admin
// listener"). Loop thread.
#pragma once

#include <slotswap/base/fault.hpp>
#include <slotswap/net/incoming.hpp>

#include <functional>
#include <string>

namespace slotswap::admin {

/// What the house does when it is asked.
struct Actions {
  Actions() = default;
  /// The answer to GET /slotswap/health.
  std::function<net::awaitable<void>(net::Incoming&)> health;
  /// Removes what is kept of a session; false: nothing was. Faults: "no_route", "not_known",
  /// "disk".
  std::function<net::awaitable<base::Result<bool>>(std::string route, std::string id)> forget;
};

class Admin {
 public:
  explicit Admin(Actions actions) : actions_(std::move(actions)) {}
  net::awaitable<void> handle(net::Incoming& incoming);

 private:
  net::awaitable<void> forget(net::Incoming& incoming, std::string route, std::string id);

  Actions actions_;
};

}  // namespace slotswap::admin
