// A server of its own for each run, llama-sim or the real one, and slotswap in front of it as a
// program. Make it on the thread that outlives it.
#pragma once

#include "bench_queue/load.hpp"
#include "llama_sim/sim.hpp"
#include "support/real_server.hpp"
#include "support/slotswap_process.hpp"
#include "support/temp_dir.hpp"

#include <memory>
#include <string>

namespace slotswap::bench {

enum class Kind { simulated, real };

Sizes sizes_for(Kind kind);

struct Figures {
  std::size_t requests = 0;
  std::size_t swaps = 0;
  double an_hour = 0;
  double longest_wait = 0;  // seconds, by slotswap's own account
  double first_token = 0;   // seconds, median
  std::int64_t read = 0;
};

class QueueHouse {
 public:
  // keys: YAML of the route, each followed by a comma.
  QueueHouse(Kind kind, std::string const& keys);
  Figures run(Load const& load);

 private:
  test::TempDir folder_;
  Kind kind_;
  std::unique_ptr<llama_sim::Sim> sim_;
  std::unique_ptr<test::RealServer> server_;
  std::unique_ptr<test::SlotswapProcess> proxy_;
};

}  // namespace slotswap::bench
