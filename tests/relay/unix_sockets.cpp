#include "relay/unix_sockets.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <utility>

namespace slotswap::test {
namespace {

constexpr Milliseconds patience{20'000};

sockaddr_un address_of(std::string const& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::runtime_error("too long: " + path);
  std::memcpy(address.sun_path, path.c_str(), path.size());
  return address;
}

int new_socket() {
  return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

}  // namespace

RawClient connect_unix(std::string const& path) {
  auto const address = address_of(path);
  auto const fd = new_socket();
  if (::connect(fd, reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0) {
    ::close(fd);
    throw std::runtime_error("cannot connect to " + path);
  }
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  return RawClient::adopt(fd, patience);
}

UnixListener::UnixListener(std::string path, int backlog)
    : path_(std::move(path)), fd_(new_socket()) {
  auto const address = address_of(path_);
  if (::bind(fd_, reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0 ||
      ::listen(fd_, backlog) != 0) {
    ::close(fd_);
    throw std::runtime_error("cannot listen on " + path_);
  }
}

UnixListener::~UnixListener() {
  close();
  ::unlink(path_.c_str());
}

RawClient UnixListener::accept() {
  pollfd entry{fd_, POLLIN, 0};
  if (::poll(&entry, 1, static_cast<int>(patience.count())) <= 0)
    throw std::runtime_error("nobody connected");
  auto const fd = ::accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) throw std::runtime_error("accept failed");
  return RawClient::adopt(fd, patience);
}

void UnixListener::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

}  // namespace slotswap::test
