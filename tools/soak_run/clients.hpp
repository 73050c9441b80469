// Plays plans: each request from a connection of its own, at its time, unless all clients are busy.
#pragma once

#include "soak_run/house.hpp"
#include "soak_run/plan.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace slotswap::soak {

struct Seen {
  std::size_t asked = 0;
  std::map<int, std::size_t> statuses;  // of whole answers
  std::size_t left = 0;
  std::size_t broken = 0;           // answers that had no end, or connections without one
  std::size_t troubles = 0;         // that were ordered
  std::vector<std::string> silent;  // those that were never answered
};

class Clients {
 public:
  static constexpr int at_once = 32;

  Clients(House& house, std::uint64_t seed) : house_(house), plans_(seed) {}

  // So many more; returns when the last one is over.
  void play(int count);
  // While none plays.
  Seen const& seen() const { return seen_; }

 private:
  void work();
  void ask(Plan const& plan);
  void take(Plan const& plan, test::RawClient& client);
  void count_answer(int status, bool complete);
  void count_failure(Plan const& plan, std::string const& what);

  House& house_;
  std::mutex mutex_;
  Plans plans_;
  int to_come_ = 0;
  std::chrono::steady_clock::time_point next_at_;
  Seen seen_;
};

}  // namespace slotswap::soak
