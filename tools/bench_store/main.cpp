// What a folder of many states costs: bench-store [STATES]. The loop thread's share (a look-up, a
// save's entry, a prune) and the share of the pool (reading the folder at a start).
#include "support/temp_dir.hpp"

#include <slotswap/store/folder.hpp>
#include <slotswap/store/index.hpp>

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace slotswap::store;
using Clock = std::chrono::steady_clock;

constexpr std::size_t rounds = 1000;

double microseconds(Clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

StateKey nth_key(std::size_t i) {
  auto const digits = std::to_string(i);
  return {"model-0123456" + std::to_string(i % 4), std::string(32 - digits.size(), 'e') + digits};
}

Manifest nth(std::size_t i) {
  Manifest manifest;
  manifest.key = nth_key(i);
  manifest.data = data_name(manifest.key, i + 1);
  manifest.model = "a model";
  manifest.fingerprint = std::string(32, 'f');
  manifest.tokens = 1000;
  manifest.bytes = 4;
  manifest.saved = manifest.last_used = static_cast<std::int64_t>(i);
  return manifest;
}

/// The median and the worst of many runs, in microseconds.
template <class Work>
void measure(char const* what, Work work) {
  std::vector<double> times;
  for (std::size_t round = 0; round < rounds; ++round) {
    auto const began = Clock::now();
    work(round);
    times.push_back(microseconds(Clock::now() - began));
  }
  std::sort(times.begin(), times.end());
  std::cout << "  " << std::left << std::setw(44) << what << std::right << std::fixed
            << std::setprecision(1) << std::setw(10) << times[rounds / 2] << std::setw(10)
            << times.back() << '\n';
}

void measure_index(std::size_t states) {
  auto const before = ::mallinfo2().uordblks;
  Index index;
  for (std::size_t i = 0; i < states; ++i) index.put(nth(i));
  auto const bytes = (::mallinfo2().uordblks - before) / states;
  std::cout << states << " states in the index, " << bytes << " bytes each; microseconds:\n"
            << "  " << std::setw(54) << "median" << std::setw(10) << "worst" << '\n';
  measure("look-up of a session's state",
          [&](std::size_t round) { (void)index.find(nth_key(round * 97 % states)); });
  measure("a save takes the place of the last one",
          [&](std::size_t round) { index.put(nth(round * 89 % states)); });
  measure("a restore counts as a use", [&](std::size_t round) {
    index.used(nth_key(round * 83 % states), static_cast<std::int64_t>(states + round));
  });
  measure("a prune of one state over the limit", [&](std::size_t round) {
    Limits limits;
    limits.max_files = index.size() / 4 - 1;
    auto const plan = index.plan_prune(nth_key(round).tag, limits, {nth_key(round * 79 % states)});
    for (auto const& state : plan.remove) index.erase(state.key);
  });
}

void measure_folder(std::size_t states) {
  slotswap::test::TempDir const folder;
  auto const path = folder.path().string();
  for (std::size_t i = 0; i < states; ++i) {
    auto const state = nth(i);
    std::ofstream(path + "/" + state.data) << "data";
    std::ofstream(path + "/" + manifest_name(state.key)) << to_json(state);
  }
  auto const files = posix_file_system();
  auto const began = Clock::now();
  auto const found = scan(*files, Folders(path, path));
  auto const took = Clock::now() - began;
  std::cout << "reading the names and sizes of " << (found ? found->listed.size() : 0)
            << " states at a start, beside the requests: " << std::fixed << std::setprecision(0)
            << microseconds(took) / 1000 << " ms\n";
}

}  // namespace

int main(int argc, char** argv) {
  auto const states = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100'000UL;
  if (states < rounds * 4) {
    std::cerr << "bench-store: at least " << rounds * 4 << " states\n";
    return 2;
  }
  measure_index(states);
  measure_folder(states);
  return 0;
}
