// What only shows when the parts are laid side by side.
#include "checks.hpp"

#include "globs.hpp"

#include <algorithm>
#include <string>

namespace slotswap::config {
namespace {

void check_servers(Config const& config, Places const& places, Findings& findings) {
  for (std::size_t i = 0; i < config.servers.size(); ++i) {
    auto const& server = config.servers[i];
    auto const& where = places.servers[i];
    for (std::size_t j = 0; j < i; ++j) {
      auto const& other = config.servers[j];
      auto const& there = places.servers[j];
      if (!server.name.empty() && server.name == other.name) {
        findings.error(where.name, "`name`: another server is named " + shown(server.name) +
                                       on_line(there.name));
      }
      if (where.url_good && there.url_good && server.url.text == other.url.text) {
        findings.error(where.url,
                       "`url`: the server " + shown(other.name) + on_line(there.url) +
                           " has this URL already; one server is written once, routes share it");
      }
    }
    if (where.url_good && !server.url.tls) {
      for (auto const& given : where.for_https) {
        findings.warning(given.place,
                         "`" + given.key + "` is not used: the server's URL is no https");
      }
    }
    auto const used = std::any_of(config.routes.begin(), config.routes.end(),
                                  [i](Route const& route) { return leads_to(route, i); });
    if (!used && !config.routes.empty()) {
      findings.warning(where.name, "no route leads to the server " + shown(server.name));
    }
  }
}

void check_order(Config const& config, Places const& places, std::size_t i, Findings& findings) {
  auto const& model = config.routes[i].model;
  for (std::size_t j = 0; j < i; ++j) {
    if (!places.routes[j].model_good) continue;
    auto const& earlier = config.routes[j].model;
    auto const there = on_line(places.routes[j].model);
    if (earlier == model) {
      findings.error(places.routes[i].model,
                     "`model`: there is a route for " + shown(model) + " already" + there);
      return;
    }
    if (covers(earlier, model)) {
      findings.error(places.routes[i].model,
                     "`model`: no request reaches this route: " + shown(earlier) + there +
                         " takes all of them; the first match wins, so put it last");
      return;
    }
  }
}

void check_routes(Config const& config, Places const& places, Findings& findings) {
  for (std::size_t i = 0; i < config.routes.size(); ++i) {
    if (places.routes[i].model_good) check_order(config, places, i, findings);
  }
  check_slots(config, places, findings);
}

}  // namespace

void check(Config const& config, Places const& places, Findings& findings) {
  check_servers(config, places, findings);
  check_routes(config, places, findings);
  check_waiting(config, places, findings);
  if (config.limits.buffer_bytes < config.limits.body_bytes) {
    findings.error(
        places.buffer,
        "`buffer_mib`: smaller than `body_mib`, so the largest body would never be taken");
  }
  auto const chosen = config.admin && config.admin->path.empty() && config.admin->port == 0;
  if (config.admin && !chosen && to_string(*config.admin) == to_string(config.listen)) {
    findings.error(places.admin, "`admin`: the same address as `listen`");
  }
}

}  // namespace slotswap::config
