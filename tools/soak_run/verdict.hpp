// What slotswap's log says of all requests, and what must hold in the end.
#pragma once

#include "soak_run/clients.hpp"
#include "soak_run/house.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace slotswap::soak {

struct Receipts {
  std::vector<std::size_t> ids;  // sorted
  std::size_t swaps = 0;
  std::size_t left_in_line = 0;
  std::size_t left_in_swap = 0;  // at least: those whose slot call ended right before
  std::size_t left_in_prefill = 0;
  std::size_t left_in_answer = 0;
  std::map<std::string, std::size_t> codes;  // of the others that were not simply answered
};

Receipts read_receipts(House const& house);

// Of both moments: as many slots as the pool has are free, and nobody waits.
struct Course {
  Seen seen;
  Receipts receipts;
  std::vector<Counts> settled;
  std::vector<std::size_t> memory_kib;  // at the same moments
  Counts end;
  bool ended_in_order = false;
  std::uint64_t actions_beside_work = 0;
  std::uint64_t most_parked = 0;
  std::vector<std::string> mistakes;  // internal errors and dropped lines
};

// Each a sentence; empty: all is well. memory: it is compared as well.
std::vector<std::string> judge(Course const& course, bool memory);

void print(Course const& course);

}  // namespace slotswap::soak
