// A TCP server for one scripted conversation: the test reads and writes the accepted connection's
// bytes.
#pragma once

#include "support/raw_client.hpp"

#include <cstdint>

namespace slotswap::test {

class Listener {
 public:
  Listener();
  ~Listener();
  Listener(Listener const&) = delete;
  Listener& operator=(Listener const&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  // The next connection; throws when none comes within the patience.
  RawClient accept(Milliseconds patience = Milliseconds{20'000});
  // True when a connection waits or comes within the time; it is not taken.
  bool has_connection_within(Milliseconds time);

 private:
  int fd_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace slotswap::test
