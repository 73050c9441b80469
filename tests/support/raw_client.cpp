#include "support/raw_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace slotswap::test {
namespace {

using Clock = std::chrono::steady_clock;

int left_until(Clock::time_point deadline) {
  auto const left = std::chrono::ceil<Milliseconds>(deadline - Clock::now());
  return left.count() > 0 ? static_cast<int>(left.count()) : 0;
}

// False when the time is over first.
bool wait_for(int fd, short events, Clock::time_point deadline) {
  while (true) {
    pollfd entry{fd, events, 0};
    int const ready = ::poll(&entry, 1, left_until(deadline));
    if (ready > 0) return true;
    if (ready == 0) return false;
    if (errno != EINTR) throw std::runtime_error("poll failed");
  }
}

void connect_to(int fd, std::uint16_t port, Clock::time_point deadline) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int error = 0;
  if (::connect(fd, reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0) {
    error = errno;
    if (error == EINPROGRESS && wait_for(fd, POLLOUT, deadline)) {
      socklen_t size = sizeof error;
      ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    }
  }
  if (error == 0) return;
  throw std::runtime_error("connect to port " + std::to_string(port) + ": " + std::strerror(error));
}

}  // namespace

RawClient::RawClient(std::uint16_t port, Milliseconds patience, int receive_buffer)
    : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)), patience_(patience) {
  if (fd_ < 0) throw std::runtime_error("no socket");
  int const on = 1;
  ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // The window is agreed on when the connection opens.
  if (receive_buffer > 0) {
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  }
  try {
    connect_to(fd_, port, Clock::now() + patience_);
  } catch (...) {
    close();
    throw;
  }
}

RawClient RawClient::adopt(int fd, Milliseconds patience) {
  return {fd, patience, nullptr};
}

RawClient::~RawClient() {
  close();
}

RawClient::RawClient(RawClient&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      patience_(other.patience_),
      buffer_(std::move(other.buffer_)),
      ended_(other.ended_),
      reset_(other.reset_) {}

void RawClient::send(std::string_view bytes) {
  auto const sent = try_send(bytes);
  if (sent == bytes.size()) return;
  throw std::runtime_error("the peer took only " + std::to_string(sent) + " of " +
                           std::to_string(bytes.size()) + " bytes");
}

std::size_t RawClient::try_send(std::string_view bytes) {
  auto const deadline = Clock::now() + patience_;
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    auto const written = ::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (written >= 0) {
      sent += static_cast<std::size_t>(written);
    } else if (errno == EAGAIN) {
      if (!wait_for(fd_, POLLOUT, deadline)) give_up("room to send");
    } else if (errno != EINTR) {
      return sent;
    }
  }
  return sent;
}

RawClient::Fill RawClient::fill(Clock::time_point deadline) {
  while (!ended_) {
    char piece[16 * 1024];
    auto const got = ::recv(fd_, piece, sizeof piece, 0);
    if (got > 0) {
      buffer_.append(piece, static_cast<std::size_t>(got));
      return Fill::data;
    }
    if (got < 0 && errno == EAGAIN) {
      if (!wait_for(fd_, POLLIN, deadline)) return Fill::timeout;
    } else if (got == 0 || errno != EINTR) {
      ended_ = true;
      reset_ = got < 0;
    }
  }
  return Fill::end;
}

std::string RawClient::take(std::size_t count) {
  auto taken = buffer_.substr(0, count);
  buffer_.erase(0, count);
  return taken;
}

std::string RawClient::read_until(std::string_view marker) {
  auto const deadline = Clock::now() + patience_;
  while (true) {
    auto const found = buffer_.find(marker);
    if (found != std::string::npos) return take(found + marker.size());
    if (fill(deadline) != Fill::data) give_up("\"" + std::string(marker) + "\"");
  }
}

std::string RawClient::read_exact(std::size_t count) {
  auto const deadline = Clock::now() + patience_;
  while (buffer_.size() < count) {
    if (fill(deadline) != Fill::data) give_up(std::to_string(count) + " bytes");
  }
  return take(count);
}

std::string RawClient::read_to_end() {
  auto const deadline = Clock::now() + patience_;
  while (true) {
    auto const result = fill(deadline);
    if (result == Fill::end) return take(buffer_.size());
    if (result == Fill::timeout) give_up("the end of the stream");
  }
}

std::string RawClient::read_within(Milliseconds time) {
  if (buffer_.empty()) fill(Clock::now() + time);
  return take(buffer_.size());
}

bool RawClient::closed_within(Milliseconds time) {
  auto const deadline = Clock::now() + time;
  while (true) {
    auto const result = fill(deadline);
    if (result != Fill::data) return result == Fill::end;
  }
}

void RawClient::half_close() {
  ::shutdown(fd_, SHUT_WR);
}

void RawClient::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

void RawClient::reset() {
  linger const at_once{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

void RawClient::give_up(std::string const& wanted) const {
  throw std::runtime_error("waited for " + wanted +
                           (ended_ ? ", the stream ended" : ", time is over") + " with " +
                           std::to_string(buffer_.size()) + " bytes: " + buffer_.substr(0, 2000));
}

}  // namespace slotswap::test
