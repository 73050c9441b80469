// Connections to one server: made, kept for reuse (last used first), given up before the server
// would close them. llama-server closes a kept connection after 5 s idle and after 100 requests.
// Loop thread.
#pragma once

#include <slotswap/base/fault.hpp>
#include <slotswap/http/message.hpp>
#include <slotswap/net/body.hpp>
#include <slotswap/net/loop.hpp>
#include <slotswap/tls/context.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slotswap::net {

struct UpstreamSettings {
  UpstreamSettings() = default;
  std::string host;
  std::uint16_t port = 80;
  std::string path;                     // of a unix socket, in place of host and port
  std::optional<tls::ClientFiles> tls;  // none: plain HTTP
  std::string server_name;              // that the certificate is for; empty: host
  Duration connect{std::chrono::seconds(5)};
  Duration idle{std::chrono::milliseconds(4000)};
  unsigned max_requests = 100;
};

/// One connection to the server and the one exchange that runs on it. Held by shared_ptr: a write
/// may outlast its caller.
class UpstreamConnection {
 public:
  virtual ~UpstreamConnection() = default;

  /// Faults: upstream_unreachable, upstream_timeout. Nothing to do on a reused connection.
  virtual awaitable<base::Result<void>> connect() = 0;
  virtual bool reused() const = 0;
  /// Writes the request. What the socket does not take at once is written beside the reading of the
  /// answer: an answer that comes early is not lost. A failed write shows in the read.
  virtual void send(std::string head, std::shared_ptr<Body const> body) = 0;
  /// It is, to its last byte.
  virtual bool written() const = 0;
  /// The final head. `wait` 0: none. Faults: upstream_broken (retry reused_only when no byte of an
  /// answer came on a reused connection), upstream_timeout, bad_upstream_response, bad_framing.
  virtual awaitable<base::Result<void>> read_head(bool to_head_request, Duration wait) = 0;
  virtual http::ResponseHead& response() = 0;
  virtual std::optional<std::uint64_t> content_length() const = 0;
  /// More of the body, views that hold until the next co_await. False: it is complete and the
  /// connection went back to the pool or was closed.
  virtual awaitable<base::Result<bool>> read_body(std::vector<std::string_view>& pieces,
                                                  Duration wait) = 0;
  /// Bytes of the body are here already: the next read_body does not wait.
  virtual bool buffered() const = 0;
  /// Ends everything that waits on this connection, now; the server sees it closed.
  virtual void close() = 0;
};

struct WholeResponse {
  WholeResponse() = default;
  http::ResponseHead head;
  std::string body;
};

/// Which connection an exchange of our own may use.
enum class Use {
  kept,   // a kept one, and once more a new one where that turned out to be closed
  once,   // the same, but never sent twice: the fault says retry reused_only
  fresh,  // a new one
};

class Upstream {
 public:
  virtual ~Upstream() = default;

  /// A kept connection that is still good, or a new one to connect(). `fresh`: never a kept one.
  virtual std::shared_ptr<UpstreamConnection> take(bool fresh) = 0;

  /// A small exchange of our own: the whole answer, at most 64 MiB, within `timeout` (0: none).
  virtual awaitable<base::Result<WholeResponse>> call(http::RequestHead head, std::string body,
                                                      Duration timeout, Use use = Use::kept) = 0;

  /// HOST:PORT as it belongs into a Host field.
  virtual std::string const& authority() const = 0;

  virtual bool secure() const = 0;
  /// Reads the certificates again, for connections made from now on. Faults: tls; then the old ones
  /// stay.
  virtual base::Result<void> renew() = 0;
};

/// Faults with code "tls": which file cannot be used, and why.
base::Result<std::unique_ptr<Upstream>> make_upstream(Loop& loop, UpstreamSettings settings);

}  // namespace slotswap::net
