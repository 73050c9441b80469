// A connected byte stream, plain or TLS, with the calls that the connections of this room need.
// Loop thread. close() ends what waits on it. Reads are tried before they are waited for.
#pragma once

#include <slotswap/base/fault.hpp>
#include <slotswap/net/loop.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace slotswap::net {

using tcp = asio::ip::tcp;
using boost::system::error_code;

struct ReadResult {
  ReadResult(error_code ec_, std::size_t size_) : ec(ec_), size(size_) {}
  error_code ec;  // asio::error::eof at a clean end
  std::size_t size;
};

class Stream {
 public:
  virtual ~Stream() = default;
  /// Before the first byte. Faults: upstream_unreachable, with the reason.
  virtual awaitable<base::Result<void>> handshake() = 0;
  virtual awaitable<ReadResult> read_some(std::span<char> buffer) = 0;
  virtual awaitable<error_code> write_all(std::string_view bytes) = 0;
  /// As much as goes without waiting; 0 when that is nothing, or when the stream cannot tell.
  virtual std::size_t write_now(std::string_view bytes) = 0;
  /// Nothing to read and not closed by the other side: fit for another exchange.
  virtual bool quiet() = 0;
  virtual void close() = 0;
};

std::unique_ptr<Stream> plain_stream(tcp::socket socket);

/// Verifies the server's certificate for `host` (no SNI for an address); call handshake() first.
std::unique_ptr<Stream> tls_client_stream(tcp::socket socket, asio::ssl::context& context,
                                          std::string const& host);

/// Non-blocking, without Nagle's delay.
void prepare(tcp::socket& socket);

}  // namespace slotswap::net
