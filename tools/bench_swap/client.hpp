// One kept connection of the benchmark, and a chat completion on it with the time to its first
// event. Times are milliseconds of the steady clock. Throws std::runtime_error for an answer that
// is not 200 or is cut. Not thread-safe.
#pragma once

#include "real/talk.hpp"
#include "support/raw_client.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace slotswap::bench {

using Instant = std::chrono::steady_clock::time_point;

double milliseconds_since(Instant start);

struct Answer {
  test::Reply reply;
  Instant first_event;
  double prefill_ms = 0;  // the server's own prompt_ms
};

class KeptClient {
 public:
  explicit KeptClient(std::uint16_t port) : port_(port) {}

  // Connects where the other side let the last connection go. Not part of what is measured.
  void make_ready();

  // Its answer's body.
  std::string ask(std::string const& method, std::string const& path, std::string const& body = "");
  Answer stream(test::Headers const& headers, std::string const& body);

 private:
  std::uint16_t port_;
  std::optional<test::RawClient> connection_;
};

}  // namespace slotswap::bench
