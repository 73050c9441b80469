// A connected byte stream over TCP or a unix socket, plain or through TLS, as the connections of
// this room use it: try, and wait only for what could not be done. Plain bytes cost one branch and
// no virtual call. Loop thread. close() ends what waits on it.
#pragma once

#include <slotswap/net/loop.hpp>
#include <slotswap/tls/session.hpp>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/system/error_code.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace slotswap::net {

using boost::system::error_code;
using Socket = asio::generic::stream_protocol::socket;
using Endpoint = asio::generic::stream_protocol::endpoint;

/// How far a read or a write came.
struct Progress {
  Progress(error_code ec_, std::size_t size_) : ec(ec_), size(size_) {}
  /// Nothing goes right now: wait, then try again, a write with the same bytes.
  bool blocked() const;
  error_code ec;  // asio::error::eof at a clean end
  std::size_t size;
};

class Stream {
 public:
  /// Makes the socket non-blocking and takes Nagle's delay from it.
  explicit Stream(Socket socket);

  /// From here on through TLS, as its server or its client (tls::Session); handshake() comes first.
  void secure(tls::Context const& context);
  void secure(tls::Context const& context, std::string const& name);
  /// Plain again, after a handshake that did not come about.
  void unsecure() { tls_.reset(); }
  tls::Session const* tls() const { return tls_.get(); }
  awaitable<error_code> handshake();
  /// What such an error means, for a person.
  std::string reason(error_code ec) const;

  Progress read_some(std::span<char> buffer);
  Progress write_some(std::string_view bytes);
  awaitable<error_code> write_all(std::string_view bytes);
  /// There may be bytes that no wait_to_read() shows: read first.
  bool has_more() const { return tls_ && tls_->has_more(); }
  template <class Token>
  auto wait_to_read(Token&& token) {
    return socket_.async_wait(read_wait_, std::forward<Token>(token));
  }
  template <class Token>
  auto wait_to_write(Token&& token) {
    return socket_.async_wait(write_wait_, std::forward<Token>(token));
  }
  /// A reset, even while nothing is read.
  template <class Token>
  auto wait_for_error(Token&& token) {
    return socket_.async_wait(asio::socket_base::wait_error, std::forward<Token>(token));
  }

  /// Nothing to read and not closed by the other side: fit for another exchange.
  bool quiet();
  /// TLS's close_notify, where it is TLS: all that was sent is all there is. May be blocked.
  Progress say_end();
  /// The end of our side; after say_end().
  void shutdown_send();
  /// close() will reset, so that nobody takes what was sent for all there is.
  void reset_at_close();
  bool is_open() const { return socket_.is_open(); }
  /// Ends the waits, not the stream.
  void cancel();
  void close();

 private:
  Progress progress(tls::Moved moved, asio::socket_base::wait_type& wait);

  Socket socket_;
  std::unique_ptr<tls::Session> tls_;
  // TLS may have to write before it can read, and the other way round.
  asio::socket_base::wait_type read_wait_ = asio::socket_base::wait_read;
  asio::socket_base::wait_type write_wait_ = asio::socket_base::wait_write;
};

}  // namespace slotswap::net
