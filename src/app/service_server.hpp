// A server as the service wires it, for the files of the service.
#pragma once

#include <slotswap/app/service.hpp>
#include <slotswap/llama/server.hpp>
#include <slotswap/net/upstream.hpp>
#include <slotswap/session/session.hpp>

#include <memory>

namespace slotswap::app {

/// The slots of a server's first route that has some; null: it is only relayed.
config::Slots const* first_slots(config::Config const& config, std::size_t server);

struct Service::Server {
  Server(std::unique_ptr<net::Upstream> upstream_, config::Server const& settings)
      : upstream(std::move(upstream_)), llama(*upstream, settings.url.prefix, settings.api_key) {}
  std::unique_ptr<net::Upstream> upstream;
  llama::Server llama;
  std::unique_ptr<swap::Host> host;
};

}  // namespace slotswap::app
