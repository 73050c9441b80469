#include "stuck.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace slotswap::proxy {

namespace {

// Of the limit: a look costs the server something, and one that is not stuck has answered by then.
constexpr int looks_in_limit = 6;

std::optional<llama::SlotLook> find(base::Result<std::vector<llama::SlotLook>> const& looks,
                                    int slot) {
  if (looks.has_error()) return std::nullopt;
  for (auto const& look : *looks) {
    if (look.id == slot) return look;
  }
  return std::nullopt;
}

}  // namespace

bool IdleCount::saw(llama::SlotLook const& look, base::TimePoint now) {
  auto const ran = look.task != std::exchange(task_, look.task);
  if (look.busy) {
    since_.reset();
    return false;
  }
  if (!since_ || ran) since_ = now;
  return now - *since_ >= limit_;
}

struct StuckWatch::Wait {
  Wait(net::Loop& loop_, llama::Server server_, int slot_, StuckTimes times_,
       std::shared_ptr<net::UpstreamConnection> connection_)
      : loop(loop_),
        server(std::move(server_)),
        slot(slot_),
        times(times_),
        connection(std::move(connection_)),
        ended(loop_) {}
  net::Loop& loop;
  llama::Server server;
  int slot;
  StuckTimes times;
  std::shared_ptr<net::UpstreamConnection> connection;  // null: nobody waits any more
  net::Signal ended;
  bool stuck = false;
};

StuckWatch::StuckWatch(net::Loop& loop, net::TaskGroup& tasks, llama::Server server, int slot,
                       StuckTimes times)
    : loop_(loop), tasks_(tasks), server_(std::move(server)), slot_(slot), times_(times) {}

void StuckWatch::start(std::shared_ptr<net::UpstreamConnection> connection) {
  wait_ = std::make_shared<Wait>(loop_, server_, slot_, times_, std::move(connection));
  tasks_.spawn("stuck requests", watch(wait_));
}

bool StuckWatch::stop() {
  auto const wait = std::exchange(wait_, nullptr);
  if (!wait) return false;
  wait->connection.reset();
  wait->ended.notify();
  return wait->stuck;
}

net::awaitable<void> StuckWatch::watch(std::shared_ptr<Wait> wait) {
  auto const part = wait->times.stuck / looks_in_limit;
  auto const pause = std::max(part, wait->times.look_again);
  IdleCount idle(wait->times.stuck);
  for (auto next = wait->loop.now() + part;; next = wait->loop.now() + pause) {
    auto const ended = co_await wait->ended.wait_until(next);
    if (ended) co_return;
    auto const looks = co_await wait->server.slots(wait->times.look);
    if (!wait->connection) co_return;
    auto const look = find(looks, wait->slot);
    if (!look || !wait->connection->written()) {
      idle.interrupted();
    } else if (idle.saw(*look, wait->loop.now())) {
      break;
    }
  }
  wait->stuck = true;
  wait->connection->close();
}

}  // namespace slotswap::proxy
