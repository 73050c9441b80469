#include "real/wire.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace slotswap::test {
namespace {

constexpr Milliseconds tick{20};  // how often the end is looked for
constexpr Milliseconds patience{60'000};

// Until there is something to read from one of them.
void wait_for_either(RawClient const& one, RawClient const& other) {
  std::array<pollfd, 2> entries{pollfd{one.fd(), POLLIN, 0}, pollfd{other.fd(), POLLIN, 0}};
  ::poll(entries.data(), entries.size(), static_cast<int>(tick.count()));
}

}  // namespace

Wire::Wire(std::uint16_t server) : server_(server), acceptor_([this] { accept_all(); }) {}

Wire::~Wire() {
  over_ = true;
  acceptor_.join();
}

std::string Wire::url() const {
  return "http://127.0.0.1:" + std::to_string(listener_.port());
}

void Wire::hold(std::string beginning) {
  std::lock_guard const lock(mutex_);
  held_ = std::move(beginning);
}

void Wire::release() {
  hold("");
}

std::size_t Wire::count(std::string const& beginning) const {
  std::lock_guard const lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(
      asked_, [&](auto const& request) { return request.starts_with(beginning); }));
}

void Wire::accept_all() {
  while (!over_) {
    if (!listener_.has_connection_within(tick)) continue;
    connections_.emplace_back([this, proxy = listener_.accept(patience)]() mutable {
      try {
        carry(std::move(proxy));
      } catch (std::runtime_error const&) {
        // One end is gone: the other one is closed with it.
      }
    });
  }
}

void Wire::carry(RawClient proxy) {
  RawClient server(server_, patience);
  while (!over_) {
    wait_for_either(proxy, server);
    auto const asked = proxy.read_within(Milliseconds{0});
    if (!asked.empty()) {
      note(asked);
      if (is_held(asked)) wait_for_release(proxy);
      if (proxy.at_end()) return;
      server.send(asked);
    }
    proxy.send(server.read_within(Milliseconds{0}));
    if (proxy.at_end() || server.at_end()) return;
  }
}

// slotswap sends a request only when the last answer is over, so a head is always at the beginning.
void Wire::note(std::string const& bytes) {
  std::lock_guard const lock(mutex_);
  asked_.push_back(bytes.substr(0, bytes.find('\r')));
}

bool Wire::is_held(std::string const& bytes) const {
  std::lock_guard const lock(mutex_);
  return !held_.empty() && bytes.starts_with(held_);
}

void Wire::wait_for_release(RawClient& proxy) {
  auto const held = [this] {
    std::lock_guard const lock(mutex_);
    return !held_.empty();
  };
  ++waiting_;
  while (!over_ && held() && !proxy.closed_within(tick)) continue;
  --waiting_;
}

}  // namespace slotswap::test
