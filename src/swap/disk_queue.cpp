#include <slotswap/net/blocking.hpp>
#include <slotswap/swap/disk_queue.hpp>
#include <slotswap/telemetry/log.hpp>

#include <chrono>

namespace slotswap::swap {

namespace {

using telemetry::Level;
using telemetry::Line;

// A swap takes milliseconds; one that waits for a busy slot must not keep states from the disk.
constexpr auto quiet_patience = std::chrono::milliseconds(500);

}  // namespace

DiskQueue::DiskQueue(net::Loop& loop, net::TaskGroup& tasks, std::string folder)
    : loop_(loop), tasks_(tasks), folder_(std::move(folder)), wake_(loop) {}

void DiskQueue::add(std::string what, Job job, std::function<void()> then) {
  jobs_.push_back(Entry{std::move(what), std::move(job), std::move(then)});
  if (std::exchange(working_, true)) return;
  tasks_.spawn("store " + folder_, work());
}

net::awaitable<void> DiskQueue::flush() {
  net::Signal done(loop_);
  ++hurried_;
  wake_.notify();
  add(
      "", [] { return std::string(); }, [&done] { done.notify(); });
  co_await done.wait();
  --hurried_;
}

net::awaitable<void> DiskQueue::wait_for_quiet() {
  auto const until = loop_.now() + quiet_patience;
  while (swaps_ > 0 && hurried_ == 0) {
    auto const woken = co_await wake_.wait_until(until);
    if (!woken) break;
  }
}

net::awaitable<void> DiskQueue::work() {
  while (!jobs_.empty()) {
    co_await wait_for_quiet();
    auto entry = std::move(jobs_.front());
    jobs_.pop_front();
    auto const problem = co_await net::run_blocking(loop_, std::move(entry.job));
    if (!problem.empty())
      Line(Level::warning, "store").field("folder", folder_).field("work", entry.what).say(problem);
    if (entry.then) entry.then();
  }
  working_ = false;
}

}  // namespace slotswap::swap
