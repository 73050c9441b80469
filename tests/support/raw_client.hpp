// A blocking TCP client for tests that must see and send exact bytes. Each call is bounded by the
// client's patience and throws std::runtime_error when that runs out, which fails the test. Not
// thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace slotswap::test {

using Milliseconds = std::chrono::milliseconds;

class RawClient {
 public:
  // receive_buffer: SO_RCVBUF in bytes, for a client that reads slowly; 0 leaves the system's.
  explicit RawClient(std::uint16_t port, Milliseconds patience = Milliseconds{20'000},
                     int receive_buffer = 0);
  // Takes over a connected non-blocking socket.
  static RawClient adopt(int fd, Milliseconds patience);
  ~RawClient();
  RawClient(RawClient&& other) noexcept;
  RawClient& operator=(RawClient&&) = delete;

  // Throws when the peer takes not all of it.
  void send(std::string_view bytes);
  // Returns how many bytes went out before the peer closed or reset.
  std::size_t try_send(std::string_view bytes);

  // Up to and including the marker; what follows stays for the next read.
  std::string read_until(std::string_view marker);
  std::string read_exact(std::size_t count);
  // Up to the end of the stream; a reset is an end as well, see was_reset().
  std::string read_to_end();
  // What is there or comes within the time; empty when nothing did.
  std::string read_within(Milliseconds time);

  // True once the peer closed or reset; bytes that come meanwhile are kept for the next read.
  bool closed_within(Milliseconds time);
  [[nodiscard]] bool was_reset() const { return reset_; }
  [[nodiscard]] bool at_end() const { return ended_ && buffer_.empty(); }

  void half_close();
  void close();
  // Closes with RST.
  void reset();

  [[nodiscard]] int fd() const { return fd_; }

 private:
  RawClient(int fd, Milliseconds patience, std::nullptr_t) : fd_(fd), patience_(patience) {}
  enum class Fill { data, end, timeout };
  Fill fill(std::chrono::steady_clock::time_point deadline);
  std::string take(std::size_t count);
  [[noreturn]] void give_up(std::string const& wanted) const;

  int fd_ = -1;
  Milliseconds patience_;
  std::string buffer_;
  bool ended_ = false;
  bool reset_ = false;
};

}  // namespace slotswap::test
