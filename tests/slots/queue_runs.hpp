// One slot and what asks for it, on a clock of its own: the scheduler's order against first come
// first served.
#pragma once

#include <slotswap/slots/scheduler.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace slotswap::slots {

/// Seconds, from the begin of the run.
struct Arrival {
  Arrival(double at_, std::string session_, double takes_)
      : at(at_), session(std::move(session_)), takes(takes_) {}
  double at;
  std::string session;
  double takes;  // its answer
};

struct Course {
  Course() = default;
  std::vector<double> starts;  // of each arrival
  int swaps = 0;
  double end = 0;
};

struct Rules {
  Rules() = default;
  double swap = 3;
  double bound = 30;
  double linger = 0;
};

Course first_come(std::vector<Arrival> const& arrivals, Rules const& rules);
Course scheduled(std::vector<Arrival> const& arrivals, Rules const& rules);

/// Clients that each wait for their answer, think, and ask again, by turns of `sessions`.
struct Closed {
  Closed() = default;
  int clients = 24;
  int sessions = 3;
  int requests = 3000;
  double answer = 4;
  double think = 0;
};
struct ClosedCourse {
  ClosedCourse() = default;
  int swaps = 0;
  double longest_wait = 0;
  double end = 0;
};
/// `in_order`: first come first served.
ClosedCourse closed_loop(Closed const& load, Rules const& rules, bool in_order);

}  // namespace slotswap::slots
