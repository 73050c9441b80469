// The folders of saved states: one slotswap at a time has each of them. A second one, started while
// the first still ends, waits; and where that one stays, it serves without slots.
#include "service_server.hpp"

#include <slotswap/slots/servers.hpp>
#include <slotswap/telemetry/log.hpp>

#include <algorithm>

namespace slotswap::app {

namespace {

using telemetry::Level;
using telemetry::Line;

bool saves_into(config::Config const& config, std::size_t server, std::string const& state_dir) {
  auto const* slots = first_slots(config, server);
  return slots != nullptr && slots->state_dir == state_dir;
}

std::size_t servers_that_save(config::Config const& config, std::string const& state_dir) {
  std::size_t count = 0;
  for (std::size_t server = 0; server < config.servers.size(); ++server) {
    if (saves_into(config, server, state_dir)) ++count;
  }
  return count;
}

}  // namespace

bool leads_to(config::Route const& route, std::size_t server) {
  return std::find(route.servers.begin(), route.servers.end(), server) != route.servers.end();
}

config::Slots const* first_slots(config::Config const& config, std::size_t server) {
  for (auto const& route : config.routes) {
    if (leads_to(route, server) && route.slots) return &*route.slots;
  }
  return nullptr;
}

std::vector<std::size_t> pools_of(config::Config const& config) {
  std::vector<std::vector<std::size_t>> joined;
  for (auto const& route : config.routes) {
    if (route.slots) joined.push_back(route.servers);
  }
  return slots::connected(config.servers.size(), joined);
}

std::string folder_name(config::Config const& config, std::size_t server) {
  auto const* own = first_slots(config, server);
  auto const pools = pools_of(config);
  for (std::size_t other = 0; own != nullptr && other < pools.size(); ++other) {
    auto const beside = pools[other] != pools[server];
    if (beside && saves_into(config, other, own->state_dir))
      return config.servers[pools[server]].name;
  }
  return {};
}

swap::Vault& Service::vault_for(config::Slots const& slots) {
  auto& vault = vaults_[slots.state_dir];
  if (vault) return *vault;
  vault = std::make_unique<swap::Vault>(loop_, tasks_, options_.files,
                                        store::Folders(slots.save_path, slots.state_dir),
                                        servers_that_save(config_, slots.state_dir));
  for (auto const& route : config_.routes) {
    if (!route.slots || route.slots->state_dir != slots.state_dir) continue;
    for (auto const& id : route.slots->pin) vault->pin(session::state_id(id));
  }
  return *vault;
}

void Service::open(swap::Vault& vault) {
  vault.open();
  for (auto const& server : servers_) {
    if (server->gate && &server->gate->vault() == &vault)
      tasks_.spawn("resume", server->gate->resume());
  }
}

// Whether all of them are ours now.
base::Result<bool> Service::take_folders() {
  auto all = true;
  for (auto const& [folder, vault] : vaults_) {
    if (vault->usable()) continue;
    auto const locked = vault->lock();
    if (locked.has_value()) {
      open(*vault);
    } else if (locked.error().code == "held") {
      all = false;
    } else {
      return base::Fault(base::Side::us, "disk",
                         locked.error().detail + ": save_path and state_dir must be writable");
    }
  }
  return all;
}

net::awaitable<void> Service::wait_for_folders() {
  Line(Level::warning, "store")
      .say("another slotswap has a folder of saved states: waiting up to a minute for its end");
  auto const until = loop_.now() + options_.lock_wait;
  for (auto serving = false;;) {
    auto const ended = co_await waiting_.wait_until(loop_.now() + options_.lock_look);
    if (ended) co_return;
    auto const taken = take_folders();
    auto const all = taken.has_value() && *taken;
    auto const late = loop_.now() >= until;
    if (!serving && (all || late)) {
      serving = true;
      if (!all) {
        Line(Level::warning, "store")
            .say(
                "another slotswap still has the folder of saved states: serving without slots "
                "until it has left");
      }
      auto const listening = listen();
      if (listening.has_error()) {
        Line(Level::error, "listen")
            .field("code", listening.error().code)
            .say(listening.error().detail);
        if (options_.failed) options_.failed();
        co_return;
      }
    }
    if (all) {
      Line(Level::info, "store").say("the folders of saved states are ours now");
      co_return;
    }
  }
}

}  // namespace slotswap::app
