#include "stream.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <openssl/ssl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace slotswap::net {

namespace {

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

bool nothing_to_read(tcp::socket& socket) {
  char byte = 0;
  auto const got = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

void close_socket(tcp::socket& socket) {
  error_code ignored;
  socket.close(ignored);
}

class PlainStream : public Stream {
 public:
  explicit PlainStream(tcp::socket socket) : socket_(std::move(socket)) {}

  awaitable<base::Result<void>> handshake() override { co_return base::Result<void>(); }

  awaitable<ReadResult> read_some(std::span<char> buffer) override {
    for (;;) {
      error_code ec;
      auto const size = socket_.read_some(asio::buffer(buffer.data(), buffer.size()), ec);
      if (ec != asio::error::would_block && ec != asio::error::try_again)
        co_return ReadResult(ec, size);
      auto const [waited] = co_await socket_.async_wait(tcp::socket::wait_read, as_result);
      if (waited) co_return ReadResult(waited, 0);
    }
  }

  awaitable<error_code> write_all(std::string_view bytes) override {
    while (!bytes.empty()) {
      error_code ec;
      auto const size = socket_.write_some(asio::buffer(bytes.data(), bytes.size()), ec);
      if (ec == asio::error::would_block || ec == asio::error::try_again) {
        auto const [waited] = co_await socket_.async_wait(tcp::socket::wait_write, as_result);
        if (waited) co_return waited;
      } else if (ec) {
        co_return ec;
      }
      bytes.remove_prefix(size);
    }
    co_return error_code{};
  }

  std::size_t write_now(std::string_view bytes) override {
    error_code ec;
    auto const size = socket_.write_some(asio::buffer(bytes.data(), bytes.size()), ec);
    return ec ? 0 : size;
  }

  bool quiet() override { return nothing_to_read(socket_); }
  void close() override { close_socket(socket_); }

 private:
  tcp::socket socket_;
};

using TlsSocket = asio::ssl::stream<tcp::socket>;

bool is_address(std::string const& host) {
  error_code ec;
  asio::ip::make_address(host, ec);
  return !ec;
}

std::string handshake_reason(TlsSocket& stream, error_code ec) {
  auto const verified = SSL_get_verify_result(stream.native_handle());
  if (verified != X509_V_OK) return X509_verify_cert_error_string(verified);
  return ec.message();
}

class TlsStream : public Stream {
 public:
  TlsStream(std::unique_ptr<TlsSocket> stream, std::string host)
      : stream_(std::move(stream)), host_(std::move(host)) {
    if (!is_address(host_)) SSL_set_tlsext_host_name(stream_->native_handle(), host_.c_str());
    stream_->set_verify_mode(asio::ssl::verify_peer);
    stream_->set_verify_callback(asio::ssl::host_name_verification(host_));
  }

  awaitable<base::Result<void>> handshake() override {
    auto const [ec] = co_await stream_->async_handshake(asio::ssl::stream_base::client, as_result);
    if (ec) {
      co_return base::Fault(base::Side::server, "upstream_unreachable",
                            "TLS with " + host_ + ": " + handshake_reason(*stream_, ec));
    }
    co_return base::Result<void>();
  }

  awaitable<ReadResult> read_some(std::span<char> buffer) override {
    // The caller's buffer is shared by all connections, and this read stays pending.
    auto const [ec, size] = co_await stream_->async_read_some(asio::buffer(buffer_), as_result);
    auto const copied = std::min(size, buffer.size());
    std::memcpy(buffer.data(), buffer_.data(), copied);
    co_return ReadResult(ec, copied);
  }

  awaitable<error_code> write_all(std::string_view bytes) override {
    auto const [ec, size] =
        co_await asio::async_write(*stream_, asio::buffer(bytes.data(), bytes.size()), as_result);
    static_cast<void>(size);
    co_return ec;
  }

  std::size_t write_now(std::string_view) override { return 0; }
  bool quiet() override { return nothing_to_read(stream_->next_layer()); }
  void close() override { close_socket(stream_->next_layer()); }

 private:
  std::unique_ptr<TlsSocket> stream_;
  std::string host_;
  std::array<char, 16 * 1024> buffer_{};
};

}  // namespace

void prepare(tcp::socket& socket) {
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  socket.non_blocking(true, ignored);
}

std::unique_ptr<Stream> plain_stream(tcp::socket socket) {
  return std::make_unique<PlainStream>(std::move(socket));
}

std::unique_ptr<Stream> tls_client_stream(tcp::socket socket, asio::ssl::context& context,
                                          std::string const& host) {
  return std::make_unique<TlsStream>(std::make_unique<TlsSocket>(std::move(socket), context), host);
}

}  // namespace slotswap::net
