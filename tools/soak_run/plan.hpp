// What each request is, when it comes, when its client leaves and what goes wrong before it: all
// drawn from the seed. The same seed gives the same plans; what the machine makes of an instant is
// its own.
#pragma once

#include "llama_sim/options.hpp"
#include "support/raw_client.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>

namespace slotswap::soak {

using test::Milliseconds;

enum class Asks { chat, models, tokens };
enum class Leaves { never, waiting, in_answer };

struct Trouble {
  std::optional<llama_sim::Fault> fault;  // none: the server is killed
};

struct Plan {
  int number = 0;
  std::chrono::microseconds gap{};  // behind the one before
  Asks asks = Asks::chat;
  std::string session;  // empty: none
  std::string key;      // of its client
  int words = 0;        // of its prompt
  int tokens = 0;       // of its answer
  bool stream = false;
  Leaves leaves = Leaves::never;
  Milliseconds stays{};  // from its sending, or from the first byte of its answer
  std::optional<Trouble> trouble;
};

class Plans {
 public:
  explicit Plans(std::uint64_t seed) : random_(seed) {}
  Plan next();

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  bool in_hundred(int times) { return below(100) < times; }
  std::chrono::microseconds gap();
  void draw_leave(Plan& plan);
  std::optional<Trouble> trouble();

  std::mt19937_64 random_;
  int number_ = 0;
};

}  // namespace slotswap::soak
