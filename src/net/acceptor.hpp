// A listening socket for an address of the settings: TCP, or unix with the file that is its name.
// Loop thread.
#pragma once

#include "stream.hpp"

#include <slotswap/base/fault.hpp>
#include <slotswap/net/listener.hpp>
#include <slotswap/net/loop.hpp>

#include <boost/asio/basic_socket_acceptor.hpp>

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace slotswap::net {

using SocketAcceptor = asio::basic_socket_acceptor<asio::generic::stream_protocol>;

/// The file of a unix socket: removed with this, unless another one took its name meanwhile.
class SocketFile {
 public:
  explicit SocketFile(std::string path);
  ~SocketFile();
  SocketFile(SocketFile const&) = delete;
  SocketFile& operator=(SocketFile const&) = delete;

 private:
  std::string path_;
  dev_t device_ = 0;
  ino_t number_ = 0;
};

struct Opened {
  explicit Opened(SocketAcceptor acceptor_) : acceptor(std::move(acceptor_)) {}
  SocketAcceptor acceptor;
  std::unique_ptr<SocketFile> file;  // null: TCP
};

/// Faults with code "listen": the address and why. Where a socket file is left that nobody listens
/// on, it is replaced.
base::Result<Opened> open_acceptor(Loop& loop, ListenerSettings const& settings);

/// ADDRESS:PORT, or `unix`.
std::string peer_name(Endpoint const& peer);
/// 0: unix.
std::uint16_t port_of(Endpoint const& endpoint);

}  // namespace slotswap::net
