#include "support/running_proxy.hpp"

#include <slotswap/app/service.hpp>
#include <slotswap/config/config.hpp>

#include <future>
#include <stdexcept>
#include <thread>
#include <utility>

namespace slotswap::test {

app::ServiceOptions faster(double scale) {
  app::ServiceOptions options;
  auto& swap = options.times.swap;
  for (auto* time : {&swap.trust, &swap.look_again, &swap.after_event, &swap.before_event})
    *time = std::chrono::duration_cast<base::Duration>(*time * scale);
  return options;
}

struct RunningProxy::Impl {
  net::Loop loop;
  std::unique_ptr<app::Service> service;
  std::uint16_t port = 0;
  std::thread thread;
};

RunningProxy::RunningProxy(std::string const& yaml) : RunningProxy(yaml, app::ServiceOptions()) {}

RunningProxy::RunningProxy(std::string const& yaml, app::ServiceOptions options)
    : impl_(std::make_unique<Impl>()) {
  auto loaded = config::load_text(yaml, "test.yaml");
  if (!loaded.errors.empty()) throw std::runtime_error(config::to_string(loaded.errors.front()));
  impl_->service =
      std::make_unique<app::Service>(impl_->loop, std::move(loaded.config), std::move(options));
  auto const started = impl_->service->start();
  if (started.has_error()) throw std::runtime_error(started.error().detail);
  impl_->port = impl_->service->port();
  impl_->thread = std::thread([this] { impl_->loop.run(); });
}

RunningProxy::~RunningProxy() {
  stop();
}

std::uint16_t RunningProxy::port() const {
  return impl_->port;
}

void RunningProxy::reload() {
  on_loop([this] { impl_->service->reload(); });
}

void RunningProxy::begin_stop() {
  impl_->loop.post([this] { impl_->service->stop([this] { impl_->loop.stop(); }); });
}

void RunningProxy::stop() {
  if (!impl_->thread.joinable()) return;
  begin_stop();
  impl_->thread.join();
}

void RunningProxy::on_loop(std::function<void()> const& work) {
  std::promise<void> done;
  impl_->loop.post([&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

app::Service const& RunningProxy::service() const {
  return *impl_->service;
}

}  // namespace slotswap::test
