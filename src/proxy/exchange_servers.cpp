// What a request's end says of the server that it was sent to, and the way to another one.
#include "exchange.hpp"

#include <slotswap/telemetry/log.hpp>

namespace slotswap::proxy {

using telemetry::Level;
using telemetry::Line;

// Only what surely reached no server, and no server twice. One that is silent may be at work.
bool Exchange::goes_elsewhere(Relayed const& relayed) {
  using Kind = slots::Outcome::Kind;
  auto const& outcome = relayed.outcome;
  constexpr int loading = 503;
  if (relayed.first_byte && outcome.status != loading) proxy_.group_.answered(server_);
  auto const unreached = outcome.kind == Kind::not_sent;
  auto const broken = outcome.kind == Kind::broken && relayed.fault.code == "upstream_broken";
  if (cancel_.requested() || relayed.first_byte || (!unreached && !broken)) return false;
  proxy_.group_.failed(server_, relayed.fault);
  if (!unreached || outcome.resent) return false;
  std::erase(servers_, server_);
  return proxy_.group_.any_open(servers_);
}

net::awaitable<bool> Exchange::lease_elsewhere(Relayed const& relayed) {
  Line(Level::info, "server")
      .field("server", receipt_.server)
      .field("state", "sent_elsewhere")
      .field("request", receipt_.id)
      .say("it could not be reached: the request goes to another server of its route");
  if (admission_.lease) admission_.lease->finish(relayed.outcome);
  admission_ = swap::Admission();
  if (backend().gate != nullptr) backend().gate->lost(visitor_.model);
  server_ = proxy_.group_.first(servers_);
  receipt_.server = backend().settings.name;
  co_return co_await lease();
}

}  // namespace slotswap::proxy
