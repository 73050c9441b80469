// The simulated server in this process, and slotswap in front of it in another one.
#pragma once

#include "llama_sim/sim.hpp"
#include "soak_run/plan.hpp"
#include "support/slotswap_process.hpp"
#include "support/temp_dir.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace slotswap::soak {

// What slotswap has under way, by its own account.
struct Counts {
  std::size_t tasks = 0;
  std::size_t slots = 0;
  std::size_t free = 0;
  std::size_t waiting = 0;
};

class House {
 public:
  // program: this one, to serve. slots: of the server.
  House(std::string const& program, int slots);

  // Any thread.
  std::uint16_t port() const { return proxy_.port(); }
  void happen(Trouble const& trouble);
  // A server that was killed or died is started again.
  void mend();

  // The last ones: when every slot is free, or else after a while.
  Counts settled();
  std::size_t memory_kib() const;
  llama_sim::Book book() { return sim_.book(); }
  // In order; the exit code.
  std::optional<int> stop() { return proxy_.stop(); }
  std::vector<std::string> lines(std::vector<std::string> const& parts) const {
    return proxy_.lines(parts);
  }
  // Of its end.
  Counts last_counts() const;

 private:
  Counts counts();

  test::TempDir folder_;
  llama_sim::Sim sim_;
  test::SlotswapProcess proxy_;
  std::mutex mending_;
};

}  // namespace slotswap::soak
