#include "service_server.hpp"

#include <slotswap/app/serve.hpp>
#include <slotswap/app/service.hpp>
#include <slotswap/config/config.hpp>
#include <slotswap/telemetry/log.hpp>

#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <utility>

namespace slotswap::app {

namespace {

std::optional<std::string> start_log(config::Log const& log) {
  telemetry::LogSettings settings;
  settings.level = telemetry::level_from(log.level).value_or(telemetry::Level::info);
  settings.json = log.format == config::LogFormat::json;
  settings.file = log.file;
  settings.brief_ids = log.ids == config::LogIds::brief;
  return telemetry::start(settings);
}

// What is saved stays saved: a commit that is cut leaves the old state or the new one.
[[noreturn]] void exit_at_once(int signal) {
  telemetry::Line(telemetry::Level::warning, "stop")
      .say("a second signal: ending at once, without the last saves");
  telemetry::shutdown();
  constexpr int died_of_signal = 128;
  std::_Exit(died_of_signal + signal);
}

int run(config::Config config) {
  net::Loop loop;
  auto code = 0;
  ServiceOptions options;
  options.failed = [&] {
    code = 1;
    loop.stop();
  };
  Service service(loop, std::move(config), std::move(options));
  auto const started = service.start();
  if (started.has_error()) {
    telemetry::Line(telemetry::Level::error, "listen")
        .field("code", started.error().code)
        .say(started.error().detail);
    return 1;
  }
  boost::asio::signal_set signals(loop.context(), SIGINT, SIGTERM);
  auto stopping = false;
  std::function<void()> wait = [&] {
    signals.async_wait([&](boost::system::error_code ec, int signal) {
      if (ec) return;
      if (std::exchange(stopping, true)) exit_at_once(signal);
      service.stop([&loop] { loop.stop(); });
      wait();
    });
  };
  wait();
  boost::asio::signal_set reloads(loop.context(), SIGHUP);
  std::function<void()> wait_for_reload = [&] {
    reloads.async_wait([&](boost::system::error_code ec, int) {
      if (ec) return;
      service.reload();
      wait_for_reload();
    });
  };
  wait_for_reload();
  loop.run();
  return code;
}

}  // namespace

int report(config::Loaded const& loaded) {
  for (auto const& problem : loaded.errors) std::cerr << config::to_string(problem) << '\n';
  for (auto const& problem : loaded.warnings)
    std::cerr << config::to_string(problem, "warning") << '\n';
  return loaded.errors.empty() ? 0 : 2;
}

int check(std::string const& config_file) {
  auto const loaded = config::load_file(config_file);
  auto const code = report(loaded);
  if (code == 0) std::cout << config::print(loaded.config);
  return code;
}

int serve(std::string const& config_file) {
  auto loaded = config::load_file(config_file);
  if (auto const code = report(loaded); code != 0) return code;
  if (auto const error = start_log(loaded.config.log)) {
    std::cerr << *error << '\n';
    return 1;
  }
  std::signal(SIGPIPE, SIG_IGN);
  auto const code = run(std::move(loaded.config));
  telemetry::shutdown();
  return code;
}

}  // namespace slotswap::app
