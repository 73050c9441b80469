#include "exchange.hpp"

#include <slotswap/base/text.hpp>
#include <slotswap/proxy/proxy.hpp>
#include <slotswap/telemetry/log.hpp>

namespace slotswap::proxy {

namespace {

// Sessions that are remembered to have asked before.
constexpr std::size_t most_seen = 4096;

}  // namespace

Proxy::Proxy(net::Loop& loop, net::TaskGroup& tasks, config::Config const& config,
             std::vector<Backend> backends, swap::Group& group, swap::KeeperTimes times,
             std::uint64_t small_tokens)
    : loop_(loop),
      tasks_(tasks),
      times_(times),
      config_(config),
      backends_(std::move(backends)),
      group_(group),
      budget_(std::make_shared<net::Budget>(config.limits.buffer_bytes)),
      history_(config.history_bytes),
      small_tokens_(small_tokens),
      seen_(most_seen) {}

net::awaitable<void> Proxy::handle(net::Incoming& incoming) {
  Exchange exchange(*this, incoming);
  co_await exchange.run();
}

std::optional<std::size_t> Proxy::route_of(std::optional<std::string> const& model) const {
  if (!model) return 0;
  for (std::size_t i = 0; i < config_.routes.size(); ++i) {
    if (base::glob_match(config_.routes[i].model, *model)) return i;
  }
  return std::nullopt;
}

std::string Proxy::history_key(std::size_t pool, std::string const& session) {
  return std::to_string(pool) + "/" + session + "/";
}

bool Proxy::forget(std::size_t pool, std::string const& session) {
  seen_.forget(history_key(pool, session));
  return history_.forget(history_key(pool, session));
}

void Proxy::skip_once(std::string const& route, std::string const& why,
                      std::string const& session) {
  if (!skipped_.emplace(route, why).second) return;
  telemetry::Line(telemetry::Level::info, "skip")
      .field("route", route)
      .field("session", session)
      .field("reason", why)
      .say("not managed as asked: " + why);
}

}  // namespace slotswap::proxy
