#include "connection.hpp"

#include <slotswap/base/text.hpp>
#include <slotswap/net/listener.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace slotswap::net {

namespace {

constexpr auto pause_after_failure = std::chrono::milliseconds(100);

using Connections = std::set<std::shared_ptr<Connection>>;

class TcpListener : public Listener, public std::enable_shared_from_this<TcpListener> {
 public:
  TcpListener(Loop& loop, tcp::acceptor acceptor, std::shared_ptr<Service const> service)
      : loop_(loop), acceptor_(std::move(acceptor)), service_(std::move(service)), pause_(loop) {}

  void start() {
    asio::co_spawn(loop_.context(), accept(shared_from_this()), [](std::exception_ptr error) {
      if (error) report_exception("listener", std::move(error));
    });
  }

  std::uint16_t port() const override {
    error_code ec;
    return acceptor_.local_endpoint(ec).port();
  }

  std::size_t connections() const override { return open_.size(); }

  std::size_t answering() const override {
    auto const busy = [](auto const& connection) { return connection->answering(); };
    return static_cast<std::size_t>(std::count_if(open_.begin(), open_.end(), busy));
  }

  void stop_accepting() override {
    error_code ignored;
    acceptor_.close(ignored);
    pause_.notify();
    for (auto const& connection : open_) connection->finish_soon();
  }

  void close_all() override {
    for (auto const& connection : open_) connection->close();
  }

 private:
  static awaitable<void> accept(std::shared_ptr<TcpListener> self) {
    while (self->acceptor_.is_open()) {
      auto [ec, socket] =
          co_await self->acceptor_.async_accept(asio::as_tuple(asio::use_awaitable));
      if (!ec) {
        self->admit(std::move(socket));
      } else if (self->acceptor_.is_open()) {
        // Out of descriptors, most likely: trying again at once would only burn the processor.
        co_await self->pause_.wait_until(self->loop_.now() + pause_after_failure);
      }
    }
  }

  void admit(tcp::socket socket) {
    auto connection = std::make_shared<Connection>(loop_, std::move(socket), service_);
    auto const crowded = open_.size() >= service_->settings.max_connections;
    open_.insert(connection);
    auto done = [self = shared_from_this(), connection](std::exception_ptr error) {
      if (error) report_exception("connection", std::move(error));
      connection->close();
      self->open_.erase(connection);
    };
    if (!crowded) {
      asio::co_spawn(loop_.context(), connection->run(), std::move(done));
      return;
    }
    base::Fault const fault(base::Side::us, "too_many_connections",
                            "all client connections are taken (limits: connections)");
    if (service_->settings.rejected) service_->settings.rejected(connection->peer(), fault);
    auto problem = http::to_problem(fault);
    problem.retry_after = 1;
    asio::co_spawn(loop_.context(), connection->turn_away(std::move(problem)), std::move(done));
  }

  Loop& loop_;
  tcp::acceptor acceptor_;
  std::shared_ptr<Service const> service_;
  Signal pause_;
  Connections open_;
};

// The accept loop holds the listener; its owner's handle stops it.
class Handle : public Listener {
 public:
  explicit Handle(std::shared_ptr<TcpListener> listener) : listener_(std::move(listener)) {}
  ~Handle() override {
    listener_->stop_accepting();
    listener_->close_all();
  }
  std::uint16_t port() const override { return listener_->port(); }
  std::size_t connections() const override { return listener_->connections(); }
  std::size_t answering() const override { return listener_->answering(); }
  void stop_accepting() override { listener_->stop_accepting(); }
  void close_all() override { listener_->close_all(); }

 private:
  std::shared_ptr<TcpListener> listener_;
};

base::Result<tcp::acceptor> open_acceptor(Loop& loop, ListenerSettings const& settings) {
  auto const where = base::host_and_port(settings.host, settings.port);
  auto const fault = [&where](error_code const& ec) {
    return base::Fault(base::Side::us, "listen", "cannot listen on " + where + ": " + ec.message());
  };
  error_code ec;
  auto const address = asio::ip::make_address(settings.host, ec);
  tcp::endpoint endpoint(address, settings.port);
  if (ec) {
    // A name: resolved once, before anything runs on the loop.
    tcp::resolver resolver(loop.context());
    auto const found = resolver.resolve(settings.host, std::to_string(settings.port), ec);
    if (ec || found.empty()) return fault(ec);
    endpoint = found.begin()->endpoint();
  }
  tcp::acceptor acceptor(loop.context());
  acceptor.open(endpoint.protocol(), ec);
  if (!ec) acceptor.set_option(tcp::acceptor::reuse_address(true), ec);
  if (!ec) acceptor.bind(endpoint, ec);
  if (!ec) acceptor.listen(asio::socket_base::max_listen_connections, ec);
  if (ec) return fault(ec);
  return acceptor;
}

}  // namespace

base::Result<std::unique_ptr<Listener>> listen(Loop& loop, ListenerSettings settings,
                                               Handler handler) {
  auto acceptor = open_acceptor(loop, settings);
  if (acceptor.has_error()) return acceptor.error();
  auto service = std::make_shared<Service const>(std::move(settings), std::move(handler));
  auto listener = std::make_shared<TcpListener>(loop, std::move(*acceptor), std::move(service));
  listener->start();
  return std::unique_ptr<Listener>(std::make_unique<Handle>(std::move(listener)));
}

}  // namespace slotswap::net
