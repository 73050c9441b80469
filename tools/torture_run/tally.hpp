// What each round came to, and the table of all.
#pragma once

#include "torture_run/plan.hpp"

#include <map>
#include <string>
#include <vector>

namespace slotswap::torture {

struct Counts {
  int rounds = 0;
  int requests = 0;
  int cut = 0;     // unanswered as we had ended a program meanwhile
  int failed = 0;  // unanswered for no such reason
  int lost = 0;    // states, see ledger.hpp
  int handed = 0;  // damaged files handed to the server
  int unseen = 0;  // of them those that a look at size and time cannot tell, where that was asked
  int died = 0;    // programs that we had not ended

  void add(Counts const& other);
  [[nodiscard]] bool clean() const { return failed + lost + handed + died == 0; }
};

struct Round {
  Plan plan;
  std::string what;  // happened, and to whom
  Counts counts;
  std::vector<std::string> notes;  // each a must-be-0 that is not 0
};

class Tally {
 public:
  Round& begin(Plan const& plan);
  Round& of(int round) { return rounds_[round]; }
  [[nodiscard]] bool clean() const;
  void print() const;
  static void print_line(Round const& round);

 private:
  [[nodiscard]] Counts sum() const;
  void print_table() const;

  std::map<int, Round> rounds_;  // by number; 0: before the first
};

}  // namespace slotswap::torture
