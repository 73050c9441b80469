#include "acceptor.hpp"

#include <slotswap/base/text.hpp>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <sys/socket.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace slotswap::net {

namespace {

using tcp = asio::ip::tcp;
using local = asio::local::stream_protocol;

// The owner and the group may connect, whatever the process's umask.
constexpr mode_t socket_mode = 0660;

base::Fault cannot_listen(std::string const& where, std::string const& why) {
  return base::Fault(base::Side::us, "listen", "cannot listen on " + where + ": " + why);
}

tcp::endpoint tcp_endpoint(Endpoint const& endpoint) {
  tcp::endpoint same;
  if (endpoint.size() > same.capacity()) return same;
  std::memcpy(same.data(), endpoint.data(), endpoint.size());
  same.resize(endpoint.size());
  return same;
}

base::Result<Opened> open_tcp(Loop& loop, ListenerSettings const& settings) {
  auto const where = base::host_and_port(settings.host, settings.port);
  error_code ec;
  auto const address = asio::ip::make_address(settings.host, ec);
  tcp::endpoint endpoint(address, settings.port);
  if (ec) {
    // A name: resolved once, before anything runs on the loop.
    tcp::resolver resolver(loop.context());
    auto const found = resolver.resolve(settings.host, std::to_string(settings.port), ec);
    if (ec || found.empty()) return cannot_listen(where, ec.message());
    endpoint = found.begin()->endpoint();
  }
  SocketAcceptor acceptor(loop.context());
  acceptor.open(endpoint.protocol(), ec);
  if (!ec) acceptor.set_option(tcp::acceptor::reuse_address(true), ec);
  if (!ec) acceptor.bind(endpoint, ec);
  if (!ec) acceptor.listen(asio::socket_base::max_listen_connections, ec);
  if (ec) return cannot_listen(where, ec.message());
  return Opened(std::move(acceptor));
}

// Whether the name is free now; what is wrong otherwise.
base::Result<void> make_room(Loop& loop, std::string const& path) {
  auto const where = "unix:" + path;
  struct stat about {};
  if (::lstat(path.c_str(), &about) != 0) {
    if (errno == ENOENT) return {};
    return cannot_listen(where, std::strerror(errno));
  }
  if (!S_ISSOCK(about.st_mode)) return cannot_listen(where, "there is a file that is no socket");
  local::socket asking(loop.context());
  error_code ec;
  asking.open(local(), ec);
  // A full line of callers is a sign of life too, and would hold this one up.
  if (!ec) asking.non_blocking(true, ec);
  if (ec) return cannot_listen(where, ec.message());
  local::endpoint const endpoint(path);
  auto const connected =
      ::connect(asking.native_handle(), endpoint.data(), static_cast<socklen_t>(endpoint.size()));
  if (connected == 0 || errno == EAGAIN)
    return cannot_listen(where, "another process listens there");
  if (errno != ECONNREFUSED) return cannot_listen(where, std::strerror(errno));
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  return cannot_listen(where,
                       std::string("the old socket cannot be removed: ") + std::strerror(errno));
}

base::Result<Opened> open_unix(Loop& loop, std::string const& path) {
  auto const where = "unix:" + path;
  if (path.size() >= local::endpoint().capacity() - offsetof(sockaddr_un, sun_path))
    return cannot_listen(where, "the path is too long");
  auto const free = make_room(loop, path);
  if (free.has_error()) return free.error();
  SocketAcceptor acceptor(loop.context());
  error_code ec;
  acceptor.open(local(), ec);
  if (!ec) acceptor.bind(local::endpoint(path), ec);
  if (ec) return cannot_listen(where, ec.message());
  Opened opened(std::move(acceptor));
  opened.file = std::make_unique<SocketFile>(path);
  // Nobody gets in before listen().
  if (::chmod(path.c_str(), socket_mode) != 0) return cannot_listen(where, std::strerror(errno));
  opened.acceptor.listen(asio::socket_base::max_listen_connections, ec);
  if (ec) return cannot_listen(where, ec.message());
  return opened;
}

}  // namespace

SocketFile::SocketFile(std::string path) : path_(std::move(path)) {
  struct stat about {};
  if (::lstat(path_.c_str(), &about) != 0) return;
  device_ = about.st_dev;
  number_ = about.st_ino;
}

SocketFile::~SocketFile() {
  struct stat about {};
  auto const ours =
      ::lstat(path_.c_str(), &about) == 0 && about.st_dev == device_ && about.st_ino == number_;
  if (ours) ::unlink(path_.c_str());
}

base::Result<Opened> open_acceptor(Loop& loop, ListenerSettings const& settings) {
  if (!settings.path.empty()) return open_unix(loop, settings.path);
  return open_tcp(loop, settings);
}

std::string peer_name(Endpoint const& peer) {
  auto const family = peer.size() >= sizeof(sa_family_t) ? peer.data()->sa_family : AF_UNSPEC;
  if (family == AF_UNIX) return "unix";
  if (family != AF_INET && family != AF_INET6) return "unknown";
  auto const endpoint = tcp_endpoint(peer);
  return base::host_and_port(endpoint.address().to_string(), endpoint.port());
}

std::uint16_t port_of(Endpoint const& endpoint) {
  auto const family =
      endpoint.size() >= sizeof(sa_family_t) ? endpoint.data()->sa_family : AF_UNSPEC;
  return family == AF_INET || family == AF_INET6 ? tcp_endpoint(endpoint).port() : 0;
}

}  // namespace slotswap::net
