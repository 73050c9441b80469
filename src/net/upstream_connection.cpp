#include "upstream_connection.hpp"

#include <slotswap/base/text.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace slotswap::net {

namespace {

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

// Between two tries at a unix socket whose line of callers is full.
constexpr auto pause_before_path = std::chrono::milliseconds(20);

std::string address_of(UpstreamSettings const& settings) {
  if (!settings.path.empty()) return "unix:" + settings.path;
  return base::host_and_port(settings.host, settings.port);
}

base::Fault unreachable(std::string const& why) {
  return base::Fault(base::Side::server, "upstream_unreachable", why);
}

base::Fault cannot_connect(UpstreamSettings const& settings, std::string const& why) {
  return unreachable("cannot connect to " + address_of(settings) + ": " + why);
}

}  // namespace

TcpUpstreamConnection::TcpUpstreamConnection(std::shared_ptr<UpstreamShared> shared)
    : shared_(std::move(shared)), watchdog_(shared_->loop, [this] {
        close();
        ended_ = Ended::late;
      }) {}

void TcpUpstreamConnection::close() {
  if (ended_ == Ended::no) ended_ = Ended::closed;
  watchdog_.off();
  error_code ignored;
  if (connecting_) connecting_->close(ignored);
  if (stream_) stream_->close();
}

base::Fault TcpUpstreamConnection::ended_fault(std::string const& what) const {
  if (ended_ == Ended::late)
    return base::Fault(base::Side::server, "upstream_timeout", what + " took too long");
  return base::Fault(base::Side::client, "closed", what + " was given up");
}

base::Fault TcpUpstreamConnection::broken(std::string const& why) const {
  auto const retry =
      reused() && !parser_->started() ? base::Retry::reused_only : base::Retry::never;
  return base::Fault(base::Side::server, "upstream_broken",
                     "the server ended the connection: " + why, retry);
}

awaitable<error_code> TcpUpstreamConnection::connect_to(Endpoint const& endpoint) {
  auto const [ec] = co_await connecting_->async_connect(endpoint, as_result);
  co_return ec;
}

// By hand: connect() of a unix socket never waits, it says EAGAIN, and Asio would take that for a
// connection under way.
awaitable<error_code> TcpUpstreamConnection::connect_to_path() {
  asio::local::stream_protocol::endpoint const endpoint(shared_->settings.path);
  error_code ec;
  connecting_->open(asio::local::stream_protocol(), ec);
  if (!ec) connecting_->non_blocking(true, ec);
  Signal pause(shared_->loop);
  while (!ec && ended_ == Ended::no) {
    auto const connected = ::connect(connecting_->native_handle(), endpoint.data(),
                                     static_cast<socklen_t>(endpoint.size()));
    if (connected == 0) co_return error_code{};
    if (errno != EAGAIN) co_return error_code(errno, boost::system::system_category());
    co_await pause.wait_until(shared_->loop.now() + pause_before_path);
  }
  co_return ec;
}

awaitable<base::Result<void>> TcpUpstreamConnection::open(Endpoint endpoint) {
  auto const& settings = shared_->settings;
  connecting_.emplace(shared_->loop.context());
  error_code ec;
  if (settings.path.empty()) {
    ec = co_await connect_to(endpoint);
  } else {
    ec = co_await connect_to_path();
  }
  if (ended_ != Ended::no) co_return ended_fault("connecting");
  if (ec) co_return cannot_connect(settings, ec.message());
  stream_.emplace(std::move(*connecting_));
  connecting_.reset();
  if (!shared_->certificates) co_return base::Result<void>();
  stream_->secure(shared_->certificates,
                  settings.server_name.empty() ? settings.host : settings.server_name);
  ec = co_await stream_->handshake();
  if (ended_ != Ended::no) co_return ended_fault("the TLS handshake");
  if (ec) co_return unreachable("TLS with " + address_of(settings) + ": " + stream_->reason(ec));
  co_return base::Result<void>();
}

awaitable<base::Result<void>> TcpUpstreamConnection::connect() {
  if (stream_) co_return base::Result<void>();
  auto const deadline = shared_->loop.now() + shared_->settings.connect;
  std::vector<Endpoint> endpoints(1);
  if (shared_->settings.path.empty()) {
    auto const found = co_await shared_->resolver.endpoints(deadline);
    if (found.has_error()) co_return found.error();
    endpoints.assign(found->begin(), found->end());
  }
  if (ended_ != Ended::no) co_return ended_fault("resolving the server's name");
  watchdog_.expires_in(shared_->settings.connect);
  base::Result<void> last = cannot_connect(shared_->settings, "no address");
  for (auto const& endpoint : endpoints) {
    last = co_await open(endpoint);
    if (last.has_value() || ended_ != Ended::no) break;
  }
  watchdog_.off();
  co_return last;
}

void TcpUpstreamConnection::send(std::string head, std::shared_ptr<Body const> body) {
  parser_.reset();
  write_failed_ = false;
  // One piece for one packet, where the body is small.
  auto const joined = body && body->bytes().size() <= 16 * 1024;
  if (joined) head += body->bytes();
  auto const whole = head.size() + (body && !joined ? body->bytes().size() : 0);
  std::size_t written = stream_->write_some(head).size;
  if (written == head.size() && body && !joined) written += stream_->write_some(body->bytes()).size;
  if (written == whole) return;
  if (joined) body = nullptr;
  writing_ = true;
  auto self = shared_from_this();
  asio::co_spawn(shared_->loop.context(), write_rest(std::move(head), std::move(body), written),
                 [self](std::exception_ptr error) {
                   self->writing_ = false;
                   if (error) report_exception("upstream write", std::move(error));
                 });
}

awaitable<void> TcpUpstreamConnection::write_rest(std::string head,
                                                  std::shared_ptr<Body const> body,
                                                  std::size_t written) {
  auto const in_head = std::min(written, head.size());
  auto ec = co_await stream_->write_all(std::string_view(head).substr(in_head));
  if (!ec && body) {
    auto const left = std::string_view(body->bytes()).substr(written - in_head);
    ec = co_await stream_->write_all(left);
  }
  if (ec) write_failed_ = true;
}

// Reads once and gives the bytes to the parser in turn. False: the server closed at a place where
// that ends the message.
awaitable<base::Result<bool>> TcpUpstreamConnection::fill() {
  auto const buffer = shared_->loop.scratch();
  auto got = stream_->read_some(buffer);
  while (got.blocked() && ended_ == Ended::no) {
    auto const [waited] = co_await stream_->wait_to_read(as_result);
    got = waited ? Progress(waited, 0) : stream_->read_some(buffer);
  }
  if (ended_ != Ended::no) co_return ended_fault("the answer");
  if (!got.ec) {
    in_.append(buffer.data(), got.size);
    co_return true;
  }
  if (got.ec == asio::error::eof) {
    auto const fine = parser_->put_eof();
    if (fine.has_value() && parser_->done()) co_return false;
    co_return broken(parser_->started() ? "in the middle of the answer" : "before it answered");
  }
  co_return broken(stream_->reason(got.ec));
}

awaitable<base::Result<void>> TcpUpstreamConnection::read_head(bool to_head_request,
                                                               Duration wait) {
  parser_.emplace(http::ParserLimits(), to_head_request);
  watchdog_.expires_in(wait);
  for (;;) {
    auto const more = co_await fill();
    if (more.has_error()) co_return more.error();
    auto const found = parser_->put(in_);
    if (found.has_error()) {
      close();
      co_return found.error();
    }
    in_.erase(0, found->consumed);
    if (parser_->head_done()) break;
    if (!*more) {
      close();
      co_return broken("in the middle of the answer");
    }
  }
  watchdog_.off();
  co_return base::Result<void>();
}

awaitable<base::Result<bool>> TcpUpstreamConnection::read_body(
    std::vector<std::string_view>& pieces, Duration wait) {
  pieces.clear();
  watchdog_.expires_in(wait);
  for (;;) {
    in_.erase(0, std::exchange(consumed_, 0));
    if (parser_->done()) break;
    if (!in_.empty()) {
      auto found = parser_->put(in_);
      if (found.has_error()) {
        close();
        co_return found.error();
      }
      consumed_ = found->consumed;
      pieces = std::move(found->pieces);
      if (!pieces.empty()) {
        watchdog_.off();
        co_return true;
      }
      if (consumed_ > 0) continue;
    }
    auto const more = co_await fill();
    if (more.has_error()) {
      close();
      co_return more.error();
    }
  }
  watchdog_.off();
  settle();
  co_return false;
}

// llama-server ends the connection behind a stream without having said so (docs/llama-server.md),
// and a request that meets this end on its way may not be repeated with what it meant to the slot.
bool TcpUpstreamConnection::was_stream() {
  return parser_->head().fields.get("Content-Type").rfind("text/event-stream", 0) == 0;
}

// The exchange is over: back to the pool, or closed.
void TcpUpstreamConnection::settle() {
  ++served_;
  auto const good = ended_ == Ended::no && !shared_->closed && !writing_ && !write_failed_ &&
                    in_.empty() && !parser_->until_eof() && !was_stream() &&
                    parser_->keep_alive() && served_ < shared_->settings.max_requests &&
                    stream_->quiet();
  if (!good) return close();
  watchdog_.expires_in(shared_->settings.idle);
  shared_->idle.push_back(shared_from_this());
}

bool TcpUpstreamConnection::wake() {
  watchdog_.off();
  return ended_ == Ended::no && stream_->quiet();
}

}  // namespace slotswap::net
