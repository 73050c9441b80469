#include "support/listener.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <poll.h>
#include <unistd.h>

#include <stdexcept>

namespace slotswap::test {

Listener::Listener() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(fd_, generic, size) != 0 || ::listen(fd_, 64) != 0 ||
      ::getsockname(fd_, generic, &size) != 0) {
    ::close(fd_);
    throw std::runtime_error("cannot listen");
  }
  port_ = ntohs(address.sin_port);
}

Listener::~Listener() {
  ::close(fd_);
}

bool Listener::has_connection_within(Milliseconds time) {
  pollfd entry{fd_, POLLIN, 0};
  return ::poll(&entry, 1, static_cast<int>(time.count())) > 0;
}

RawClient Listener::accept(Milliseconds patience) {
  if (!has_connection_within(patience)) throw std::runtime_error("nobody connected");
  int const fd = ::accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) throw std::runtime_error("accept failed");
  return RawClient::adopt(fd, patience);
}

}  // namespace slotswap::test
