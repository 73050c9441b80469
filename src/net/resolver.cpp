#include "resolver.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <list>
#include <utility>

namespace slotswap::net {

namespace {

constexpr auto fresh_for = std::chrono::seconds(30);

}  // namespace

struct Resolver::State {
  State(Loop& loop_, std::string host_, std::uint16_t port_)
      : loop(loop_), host(std::move(host_)), port(port_), resolver(loop_.context()) {}

  Loop& loop;
  std::string host;
  std::uint16_t port;
  tcp::resolver resolver;
  std::vector<tcp::endpoint> known;
  TimePoint known_at;
  boost::system::error_code last_error;
  bool asking = false;
  std::list<Signal*> waiting;
};

Resolver::Resolver(Loop& loop, std::string host, std::uint16_t port)
    : state_(std::make_shared<State>(loop, std::move(host), port)) {
  boost::system::error_code ec;
  auto const address = asio::ip::make_address(state_->host, ec);
  if (ec) return;
  state_->known.emplace_back(address, port);
  state_->known_at = TimePoint::max();
}

Resolver::~Resolver() {
  state_->resolver.cancel();
}

void Resolver::start() {
  if (state_->asking) return;
  state_->asking = true;
  asio::co_spawn(state_->loop.context(), ask(state_), [](std::exception_ptr error) {
    if (error) report_exception("resolver", std::move(error));
  });
}

awaitable<void> Resolver::ask(std::shared_ptr<State> state) {
  auto const port = std::to_string(state->port);
  auto const [ec, found] = co_await state->resolver.async_resolve(
      state->host, port, asio::as_tuple(asio::use_awaitable));
  state->asking = false;
  state->last_error = ec;
  if (!ec) {
    state->known.clear();
    for (auto const& entry : found) state->known.push_back(entry.endpoint());
    state->known_at = state->loop.now();
  }
  for (auto* signal : state->waiting) signal->notify();
}

awaitable<base::Result<std::vector<tcp::endpoint>>> Resolver::endpoints(TimePoint deadline) {
  auto const state = state_;
  auto const now = state->loop.now();
  if (!state->known.empty()) {
    if (state->known_at < now - fresh_for) start();
    co_return state->known;
  }
  start();
  Signal answered(state->loop);
  auto const place = state->waiting.insert(state->waiting.end(), &answered);
  auto const in_time = co_await answered.wait_until(deadline);
  state->waiting.erase(place);
  if (!state->known.empty()) co_return state->known;
  auto const why = in_time ? state->last_error.message() : std::string("no answer in time");
  co_return base::Fault(base::Side::server, "upstream_unreachable",
                        "cannot resolve " + state->host + ": " + why);
}

}  // namespace slotswap::net
