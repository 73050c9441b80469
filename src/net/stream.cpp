#include "stream.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sys/socket.h>

#include <cerrno>

namespace slotswap::net {

namespace {

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

}  // namespace

bool Progress::blocked() const {
  return ec == asio::error::would_block || ec == asio::error::try_again;
}

Stream::Stream(Socket socket) : socket_(std::move(socket)) {
  error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
}

void Stream::secure(tls::Context const& context) {
  tls_ = std::make_unique<tls::Session>(context, socket_.native_handle());
}

void Stream::secure(tls::Context const& context, std::string const& name) {
  tls_ = std::make_unique<tls::Session>(context, socket_.native_handle(), name);
}

Progress Stream::progress(tls::Moved moved, asio::socket_base::wait_type& wait) {
  switch (moved.step) {
    case tls::Step::done:
      return {error_code{}, moved.size};
    case tls::Step::wants_read:
      wait = asio::socket_base::wait_read;
      return {asio::error::would_block, 0};
    case tls::Step::wants_write:
      wait = asio::socket_base::wait_write;
      return {asio::error::would_block, 0};
    case tls::Step::ended:
      return {asio::error::eof, 0};
    case tls::Step::failed:
      break;
  }
  return {asio::error::connection_aborted, 0};
}

awaitable<error_code> Stream::handshake() {
  while (tls_ && socket_.is_open()) {
    auto const got = progress({tls_->handshake(), 0}, read_wait_);
    if (!got.blocked()) co_return got.ec;
    auto const [waited] = co_await wait_to_read(as_result);
    if (waited) co_return waited;
  }
  co_return asio::error::operation_aborted;
}

std::string Stream::reason(error_code ec) const {
  auto const of_tls = tls_ && ec == asio::error::connection_aborted && !tls_->reason().empty();
  return of_tls ? tls_->reason() : ec.message();
}

Progress Stream::read_some(std::span<char> buffer) {
  if (tls_) {
    // A closed socket's number may be another one's by now.
    if (!socket_.is_open()) return {asio::error::operation_aborted, 0};
    return progress(tls_->read(buffer), read_wait_);
  }
  error_code ec;
  auto const size = socket_.read_some(asio::buffer(buffer.data(), buffer.size()), ec);
  return {ec, size};
}

Progress Stream::write_some(std::string_view bytes) {
  if (tls_) {
    if (!socket_.is_open()) return {asio::error::operation_aborted, 0};
    return progress(tls_->write(bytes), write_wait_);
  }
  error_code ec;
  auto const size = socket_.write_some(asio::buffer(bytes.data(), bytes.size()), ec);
  return {ec, size};
}

awaitable<error_code> Stream::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    auto const sent = write_some(bytes);
    if (sent.blocked()) {
      auto const [waited] = co_await wait_to_write(as_result);
      if (waited) co_return waited;
      continue;
    }
    if (sent.ec) co_return sent.ec;
    bytes.remove_prefix(sent.size);
  }
  co_return error_code{};
}

bool Stream::quiet() {
  if (!socket_.is_open()) return false;
  if (tls_) return tls_->quiet();
  char byte = 0;
  auto const got = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

Progress Stream::say_end() {
  if (!tls_ || !socket_.is_open()) return {error_code{}, 0};
  return progress({tls_->say_end(), 0}, write_wait_);
}

void Stream::shutdown_send() {
  error_code ignored;
  socket_.shutdown(asio::socket_base::shutdown_send, ignored);
}

void Stream::reset_at_close() {
  error_code ignored;
  socket_.set_option(asio::socket_base::linger(true, 0), ignored);
}

void Stream::cancel() {
  error_code ignored;
  socket_.cancel(ignored);
}

void Stream::close() {
  error_code ignored;
  socket_.close(ignored);
}

}  // namespace slotswap::net
