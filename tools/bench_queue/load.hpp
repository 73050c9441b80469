// Clients in a closed loop: each waits for its answer, thinks, and asks again, until all together
// have asked as often as was said.
#pragma once

#include "support/raw_client.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace slotswap::bench {

struct Load {
  std::string name;
  int sessions = 3;
  int clients = 1;  // of each session, at once; a single one's conversation grows
  int requests = 0;
  test::Milliseconds think{};
  std::uint64_t seed = 0;
};

// What is asked, in words, and how long the answers are, in tokens.
struct Sizes {
  int first_words = 0;  // a session's beginning, which its clients share
  int more_words = 0;
  int least_tokens = 0;
  int most_tokens = 0;
};

struct Course {
  std::vector<double> first_ms;  // until the first token, of each request
  std::int64_t read = 0;         // tokens of their prompts that were not reused
  double seconds = 0;
};

// Every session's beginning, one after the other, and twice: a small new session would not be
// saved. How many requests that were.
std::size_t warm_up(std::uint16_t port, Load const& load, Sizes const& sizes);

// Throws std::runtime_error when an answer is not a 200.
Course play(std::uint16_t port, Load const& load, Sizes const& sizes);

}  // namespace slotswap::bench
