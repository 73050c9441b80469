#include <slotswap/net/loop.hpp>
#include <slotswap/telemetry/log.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <utility>
#include <vector>

namespace slotswap::net {

namespace {

constexpr auto sweep_period = std::chrono::milliseconds(50);

}  // namespace

void report_exception(std::string const& where, std::exception_ptr error) {
  std::string what = "not an std::exception";
  try {
    std::rethrow_exception(std::move(error));
  } catch (std::exception const& caught) {
    what = caught.what();
  } catch (...) {
  }
  telemetry::Line(telemetry::Level::error, "internal")
      .field("where", where)
      .field("error", what)
      .say("a mistake in slotswap: please report it");
}

Loop::Loop() : work_(asio::make_work_guard(context_)), sweep_timer_(context_) {}

Loop::~Loop() {
  pool_.join();
}

void Loop::run() {
  for (;;) {
    try {
      context_.run();
      return;
    } catch (...) {
      report_exception("loop", std::current_exception());
    }
  }
}

void Loop::stop() {
  context_.stop();
}

void Loop::post(std::function<void()> work) {
  asio::post(context_, std::move(work));
}

void Loop::schedule_sweep() {
  if (sweeping_ || armed_.empty()) return;
  sweeping_ = true;
  sweep_timer_.expires_after(sweep_period);
  sweep_timer_.async_wait([this](boost::system::error_code ec) {
    sweeping_ = false;
    if (!ec) sweep();
  });
}

void Loop::sweep() {
  auto const at = now();
  std::vector<Watchdog*> due;
  for (auto* dog : armed_) {
    if (dog->at_ <= at) due.push_back(dog);
  }
  for (auto* dog : due) {
    // One that fired before may have taken this one away.
    if (armed_.erase(dog) == 0) continue;
    dog->at_ = TimePoint::max();
    dog->expired_();
  }
  schedule_sweep();
}

Watchdog::Watchdog(Loop& loop, std::function<void()> expired)
    : loop_(loop), expired_(std::move(expired)) {}

Watchdog::~Watchdog() {
  off();
}

void Watchdog::expires_in(Duration time) {
  if (time <= Duration::zero()) return off();
  at_ = loop_.now() + time;
  loop_.armed_.insert(this);
  loop_.schedule_sweep();
}

void Watchdog::off() {
  if (at_ == TimePoint::max()) return;
  at_ = TimePoint::max();
  loop_.armed_.erase(this);
}

Signal::Signal(Loop& loop) : timer_(loop.context()) {}

void Signal::notify() {
  notified_ = true;
  timer_.cancel();
}

awaitable<void> Signal::wait() {
  co_await wait_until(TimePoint::max());
}

awaitable<bool> Signal::wait_until(TimePoint deadline) {
  while (!notified_) {
    timer_.expires_at(deadline);
    auto const [ec] = co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    if (!ec && !notified_) co_return false;
  }
  notified_ = false;
  co_return true;
}

TaskGroup::TaskGroup(Loop& loop) : loop_(loop), empty_(loop) {}

void TaskGroup::spawn(std::string name, awaitable<void> task) {
  ++running_;
  asio::co_spawn(loop_.context(), std::move(task),
                 [this, name = std::move(name)](std::exception_ptr error) {
                   if (error) report_exception(name, std::move(error));
                   if (--running_ == 0) empty_.notify();
                 });
}

awaitable<bool> TaskGroup::join(TimePoint deadline) {
  while (running_ > 0) {
    auto const in_time = co_await empty_.wait_until(deadline);
    if (!in_time) co_return running_ == 0;
  }
  co_return true;
}

}  // namespace slotswap::net
