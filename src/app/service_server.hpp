// A server as the service wires it, for the files of the service.
#pragma once

#include <slotswap/app/service.hpp>
#include <slotswap/llama/server.hpp>
#include <slotswap/net/upstream.hpp>
#include <slotswap/session/session.hpp>

#include <memory>
#include <string>
#include <vector>

namespace slotswap::app {

/// The slots of a server's first route that has some; null: it is only relayed.
config::Slots const* first_slots(config::Config const& config, std::size_t server);

bool leads_to(config::Route const& route, std::size_t server);

struct Service::Server {
  Server(std::unique_ptr<net::Upstream> upstream_, config::Server const& settings)
      : upstream(std::move(upstream_)), llama(*upstream, settings.url.prefix, settings.api_key) {}
  std::unique_ptr<net::Upstream> upstream;
  llama::Server llama;
  std::unique_ptr<swap::Gate> gate;  // null: no route of it has slots
};

/// Faults: tls, as net::make_upstream.
base::Result<std::unique_ptr<Service::Server>> make_server(net::Loop& loop,
                                                           config::Server const& settings);

/// For each server the first one of its pool: the servers that routes with slots join have one line
/// and one set of states.
std::vector<std::size_t> pools_of(config::Config const& config);

/// Pools that keep their states in one folder must not share the names of a model they both serve:
/// what tells this server's pool from others there; empty where there is no other.
std::string folder_name(config::Config const& config, std::size_t server);

/// Says what is wrong with a configuration; the exit code.
int report(config::Loaded const& loaded);

}  // namespace slotswap::app
