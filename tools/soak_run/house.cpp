#include "soak_run/house.hpp"

#include "soak_run/serve.hpp"
#include "support/wait.hpp"

#include <csignal>
#include <fstream>
#include <stdexcept>

namespace slotswap::soak {
namespace {

std::vector<std::string> const marks{"event=soak "};

// What one answer takes, some 20 ms, is a swap's time as well.
llama_sim::Options simulated(std::string const& folder, int slots) {
  llama_sim::Options options;
  options.slot_save_path = folder;
  options.scale = scale;
  options.slots = slots;
  options.context *= slots;
  options.prefill_tps = 200;
  options.decode_tps = 20;
  options.slot_call_tps = 800;
  options.bytes_per_token = 64;
  return options;
}

// Limits that a crowd reaches, and fewer states than sessions.
std::string yaml(std::string const& url, std::string const& folder, int slots) {
  std::string ids = "0";
  for (int id = 1; id < slots; ++id) ids += ", " + std::to_string(id);
  return "drain_seconds: 5\nservers:\n  - {name: main, url: '" + url + "'}\nroutes:\n" +
         "  - model: '*'\n"
         "    max_overtake_seconds: 0.3\n"
         "    max_queue: 22\n"
         "    max_queue_per_key: 10\n"
         "    queue_timeout_seconds: 0.6\n"
         "    stuck_seconds: 0.5\n"
         "    heartbeat_seconds: 0.2\n"
         "    slots: {ids: [" +
         ids + "], save_path: '" + folder +
         "', min_free_gib: 0, max_files: 8, save_idle_seconds: 0.4, busy_wait_seconds: 5, "
         "slot_call_timeout_seconds: 0.6, verify: checksum}\n";
}

Counts read(std::string const& line) {
  auto const number = [&line](char const* key) {
    return static_cast<std::size_t>(std::stoul(test::value_of(line, key)));
  };
  return {number("tasks"), number("slots"), number("free"), number("waiting")};
}

}  // namespace

House::House(std::string const& program, int slots)
    : sim_(simulated(folder_.path().string(), slots)),
      proxy_(yaml(sim_.url(), folder_.path().string(), slots), {}, program) {}

void House::happen(Trouble const& trouble) {
  if (trouble.fault) return sim_.order(*trouble.fault);
  sim_.kill();
}

void House::mend() {
  std::lock_guard const lock(mending_);
  if (!sim_.alive()) sim_.start_again();
}

Counts House::counts() {
  auto const before = proxy_.count(marks);
  ::kill(proxy_.pid(), SIGUSR1);
  if (!proxy_.said(marks, before + 1)) throw std::runtime_error("slotswap does not answer");
  return read(proxy_.lines(marks).back());
}

Counts House::settled() {
  Counts last;
  test::eventually([&] {
    last = counts();
    return last.free == last.slots && last.waiting == 0;
  });
  return last;
}

Counts House::last_counts() const {
  return read(proxy_.lines(marks).back());
}

std::size_t House::memory_kib() const {
  std::ifstream status("/proc/" + std::to_string(proxy_.pid()) + "/status");
  for (std::string word; status >> word;) {
    std::size_t kib = 0;
    if (word == "VmRSS:" && status >> kib) return kib;
  }
  throw std::runtime_error("slotswap's memory cannot be read");
}

}  // namespace slotswap::soak
