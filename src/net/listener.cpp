#include "acceptor.hpp"
#include "certificates.hpp"
#include "connection.hpp"

#include <slotswap/net/listener.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

namespace slotswap::net {

namespace {

constexpr auto pause_after_failure = std::chrono::milliseconds(100);

using Connections = std::set<std::shared_ptr<Connection>>;

class OpenListener : public Listener, public std::enable_shared_from_this<OpenListener> {
 public:
  OpenListener(Loop& loop, Opened opened, tls::Context certificates,
               std::shared_ptr<Service const> service)
      : loop_(loop),
        acceptor_(std::move(opened.acceptor)),
        file_(std::move(opened.file)),
        certificates_(std::move(certificates)),
        service_(std::move(service)),
        pause_(loop) {}

  void start() {
    asio::co_spawn(loop_.context(), accept(shared_from_this()), [](std::exception_ptr error) {
      if (error) report_exception("listener", std::move(error));
    });
  }

  std::uint16_t port() const override {
    error_code ec;
    return port_of(acceptor_.local_endpoint(ec));
  }

  std::size_t connections() const override { return open_.size(); }

  std::size_t answering() const override {
    auto const busy = [](auto const& connection) { return connection->answering(); };
    return static_cast<std::size_t>(std::count_if(open_.begin(), open_.end(), busy));
  }

  bool secure() const override { return service_->settings.tls.has_value(); }

  base::Result<void> renew() override {
    if (!secure()) return {};
    return load_certificates(*service_->settings.tls, certificates_);
  }

  void stop_accepting() override {
    error_code ignored;
    acceptor_.close(ignored);
    file_.reset();
    pause_.notify();
    for (auto const& connection : open_) connection->finish_soon();
  }

  void close_all() override {
    for (auto const& connection : open_) connection->cut();
  }

 private:
  static awaitable<void> accept(std::shared_ptr<OpenListener> self) {
    while (self->acceptor_.is_open()) {
      Endpoint peer;
      auto [ec, socket] =
          co_await self->acceptor_.async_accept(peer, asio::as_tuple(asio::use_awaitable));
      if (!ec) {
        self->try_to_admit(std::move(socket), peer_name(peer));
      } else if (self->acceptor_.is_open()) {
        // Out of descriptors, most likely: trying again at once would only burn the processor.
        co_await self->pause_.wait_until(self->loop_.now() + pause_after_failure);
      }
    }
  }

  // Without memory for one connection the next one may still find some.
  void try_to_admit(Socket socket, std::string peer) {
    try {
      admit(std::move(socket), std::move(peer));
    } catch (std::exception const&) {
      report_exception("listener", std::current_exception());
    }
  }

  void admit(Socket socket, std::string peer) {
    Stream stream(std::move(socket));
    auto const crowded = open_.size() >= service_->settings.max_connections;
    if (crowded) {
      base::Fault const fault(base::Side::us, "too_many_connections",
                              "all client connections are taken (limits: connections)");
      if (service_->settings.rejected) service_->settings.rejected(peer, fault);
      // To say it through TLS would take a handshake, which may last.
      if (!secure()) turn_away(std::move(stream), std::move(peer), http::to_problem(fault));
      return;
    }
    if (secure()) stream.secure(certificates_);
    auto connection =
        std::make_shared<Connection>(loop_, std::move(stream), std::move(peer), service_);
    start(connection, connection->run());
  }

  void turn_away(Stream stream, std::string peer, http::Problem problem) {
    problem.retry_after = 1;
    auto connection =
        std::make_shared<Connection>(loop_, std::move(stream), std::move(peer), service_);
    start(connection, connection->turn_away(std::move(problem)));
  }

  void start(std::shared_ptr<Connection> const& connection, awaitable<void> work) {
    open_.insert(connection);
    auto done = [self = shared_from_this(), connection](std::exception_ptr error) {
      if (error) report_exception("connection", std::move(error));
      connection->close();
      self->open_.erase(connection);
    };
    asio::co_spawn(loop_.context(), std::move(work), std::move(done));
  }

  Loop& loop_;
  SocketAcceptor acceptor_;
  std::unique_ptr<SocketFile> file_;
  tls::Context certificates_;
  std::shared_ptr<Service const> service_;
  Signal pause_;
  Connections open_;
};

// The accept loop holds the listener; its owner's handle stops it.
class Handle : public Listener {
 public:
  explicit Handle(std::shared_ptr<OpenListener> listener) : listener_(std::move(listener)) {}
  ~Handle() override {
    listener_->stop_accepting();
    listener_->close_all();
  }
  std::uint16_t port() const override { return listener_->port(); }
  bool secure() const override { return listener_->secure(); }
  base::Result<void> renew() override { return listener_->renew(); }
  std::size_t connections() const override { return listener_->connections(); }
  std::size_t answering() const override { return listener_->answering(); }
  void stop_accepting() override { listener_->stop_accepting(); }
  void close_all() override { listener_->close_all(); }

 private:
  std::shared_ptr<OpenListener> listener_;
};

}  // namespace

base::Result<std::unique_ptr<Listener>> listen(Loop& loop, ListenerSettings settings,
                                               Handler handler) {
  tls::Context certificates;
  if (settings.tls) {
    auto const loaded = load_certificates(*settings.tls, certificates);
    if (loaded.has_error()) return loaded.error();
  }
  auto opened = open_acceptor(loop, settings);
  if (opened.has_error()) return opened.error();
  auto service = std::make_shared<Service const>(std::move(settings), std::move(handler));
  auto listener = std::make_shared<OpenListener>(loop, std::move(*opened), std::move(certificates),
                                                 std::move(service));
  listener->start();
  return std::unique_ptr<Listener>(std::make_unique<Handle>(std::move(listener)));
}

}  // namespace slotswap::net
