// A listening socket and the client connections that came through it. Owns them. Loop thread.
#pragma once

#include <slotswap/base/fault.hpp>
#include <slotswap/net/incoming.hpp>
#include <slotswap/net/loop.hpp>
#include <slotswap/tls/context.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace slotswap::net {

struct ListenerSettings {
  ListenerSettings() = default;
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: the system chooses
  std::string path;        // of a unix socket, in place of host and port; mode 0660
  std::optional<tls::ServerFiles> tls;
  std::size_t head_bytes = 16 * 1024;
  std::size_t max_connections = 1024;
  /// Also for a TLS handshake, and the longest pause inside a body.
  Duration header_read{std::chrono::seconds(30)};
  Duration body_read{};    // of a whole body; 0: no limit
  Duration write_stall{};  // without room for more of an answer; 0: no limit
  Duration keep_alive{std::chrono::seconds(75)};
  /// Told of requests that were answered before a handler saw them, of connections turned away, and
  /// of those that were reset because their client took no more.
  std::function<void(std::string const& peer, base::Fault const& fault)> rejected;
};

class Listener {
 public:
  virtual ~Listener() = default;

  /// 0: a unix socket.
  virtual std::uint16_t port() const = 0;
  virtual bool secure() const = 0;
  /// Reads the certificates again, for connections that come from now on. Faults: tls; then the old
  /// ones stay.
  virtual base::Result<void> renew() = 0;
  virtual std::size_t connections() const = 0;
  /// Of them those with a request whose answer has not ended.
  virtual std::size_t answering() const = 0;
  /// No new connections; idle ones are closed, the others after the answer they are at.
  virtual void stop_accepting() = 0;
  /// Closes every connection at once, answers included.
  virtual void close_all() = 0;
};

/// Faults: listen, the address and why; tls, the file and why.
base::Result<std::unique_ptr<Listener>> listen(Loop& loop, ListenerSettings settings,
                                               Handler handler);

}  // namespace slotswap::net
