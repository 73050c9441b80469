// The ways to the same model that are compared. Each has a llama-server of its own, so that they
// can take turns and a busy moment of the machine hits all of them.
#pragma once

#include "client.hpp"

#include <memory>
#include <string>
#include <vector>

namespace slotswap::bench {

struct Timed {
  test::Reply reply;
  double first_ms = 0;     // from the first byte sent for this turn to the first event
  double overhead_ms = 0;  // what of it the server did not spend in the prefill
};

class Way {
 public:
  explicit Way(std::string name) : name_(std::move(name)) {}
  virtual ~Way() = default;
  Way(Way const&) = delete;
  Way& operator=(Way const&) = delete;

  [[nodiscard]] std::string const& name() const { return name_; }
  virtual Timed ask(std::size_t session, test::Talk const& talk) = 0;

 private:
  std::string name_;
};

// Through slotswap, by a client that swaps itself, one slot alone, four slots alone.
std::vector<std::unique_ptr<Way>> all_ways(std::string const& model);

}  // namespace slotswap::bench
