#include "soak_run/serve.hpp"

#include "support/running_proxy.hpp"

#include <slotswap/app/service.hpp>
#include <slotswap/config/config.hpp>
#include <slotswap/telemetry/log.hpp>

#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <utility>

namespace slotswap::soak {
namespace {

void count(app::Service const& service, std::size_t slots) {
  std::size_t free = 0;
  std::size_t waiting = 0;
  auto const* host = service.host("main");
  for (std::size_t i = 0; host != nullptr && i < slots; ++i) {
    if (host->keeper(i).free()) ++free;
    waiting += host->keeper(i).waiting();
  }
  telemetry::Line(telemetry::Level::info, "soak")
      .field("tasks", service.tasks())
      .field("slots", slots)
      .field("free", free)
      .field("waiting", waiting);
}

app::ServiceOptions options() {
  auto options = test::faster(scale);
  options.small_tokens = 0;  // short stories that are saved all the same
  // A look that hangs keeps everybody waiting.
  options.times.look = std::chrono::milliseconds(500);
  return options;
}

void run(config::Config config) {
  auto const slots = config.routes.front().slots->ids.size();
  net::Loop loop;
  app::Service service(loop, std::move(config), options());
  auto const started = service.start();
  if (started.has_error()) throw std::runtime_error(started.error().detail);
  boost::asio::signal_set signals(loop.context(), SIGTERM, SIGUSR1);
  std::function<void()> wait = [&] {
    signals.async_wait([&](boost::system::error_code ec, int signal) {
      if (ec) return;
      if (signal == SIGTERM) return service.stop([&loop] { loop.stop(); });
      count(service, slots);
      wait();
    });
  };
  wait();
  loop.run();
  count(service, slots);
}

}  // namespace

int serve(std::string const& config_file) {
  auto loaded = config::load_file(config_file);
  for (auto const& problem : loaded.errors) std::cerr << config::to_string(problem) << '\n';
  if (!loaded.errors.empty()) return 2;
  telemetry::start(telemetry::LogSettings());
  std::signal(SIGPIPE, SIG_IGN);
  run(std::move(loaded.config));
  telemetry::shutdown();
  return 0;
}

}  // namespace slotswap::soak
