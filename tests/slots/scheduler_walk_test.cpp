// The scheduler's order over random arrivals, against first come first served.
#include "queue_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace slotswap::slots {
namespace {

// Below `end`, in steps of a hundredth.
double any(std::mt19937& random, double end) {
  return std::uniform_int_distribution<int>(0, static_cast<int>(end * 100) - 1)(random) / 100.0;
}

std::vector<Arrival> arrivals(std::mt19937& random, int sessions, double load) {
  std::exponential_distribution<double> pause(load / 4);  // answers take 4 seconds on the average
  std::uniform_real_distribution<double> takes(0.5, 7.5);
  std::vector<Arrival> all;
  double now = 0;
  for (int i = 0; i < 100; ++i) {
    now += pause(random);
    auto const session =
        std::string(1, static_cast<char>('a' + static_cast<int>(any(random, sessions))));
    all.emplace_back(now, session, takes(random));
  }
  return all;
}

// The most that any one other session had waiting while this request waited, in seconds of answers.
double one_session(std::vector<Arrival> const& all, Course const& course, std::size_t which) {
  std::map<std::string, double> waiting;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const beside = all[i].at <= course.starts[which] && course.starts[i] >= all[which].at;
    if (beside && all[i].session != all[which].session) waiting[all[i].session] += all[i].takes;
  }
  double most = 0;
  for (auto const& [session, takes] : waiting) most = std::max(most, takes);
  return most;
}

TEST(SchedulerWalk, nobody_starts_much_later_than_in_order_and_there_are_fewer_swaps) {
  std::mt19937 random(3);
  auto swaps = 0;
  auto swaps_in_order = 0;
  for (int run = 0; run < 100; ++run) {
    auto const all = arrivals(random, 2 + static_cast<int>(any(random, 5)), 0.5 + any(random, 1));
    Rules rules;
    rules.swap = any(random, 8);
    rules.linger = run % 2 == 0 ? 0 : rules.swap / 4;
    auto const in_order = first_come(all, rules);
    auto const course = scheduled(all, rules);
    swaps += course.swaps;
    swaps_in_order += in_order.swaps;
    for (std::size_t i = 0; i < all.size(); ++i) {
      ASSERT_GE(course.starts[i], all[i].at) << "every one starts";
      auto const late = course.starts[i] - in_order.starts[i];
      EXPECT_LE(late, rules.bound + rules.swap + one_session(all, course, i))
          << "run " << run << ", arrival " << i;
    }
  }
  EXPECT_LT(swaps, swaps_in_order / 2);
}

TEST(SchedulerWalk, many_clients_of_few_sessions_are_swapped_once_a_round) {
  Closed load;
  Rules rules;
  auto const in_order = closed_loop(load, rules, true);
  auto const course = closed_loop(load, rules, false);
  EXPECT_NEAR(in_order.swaps, 2000, 150);
  EXPECT_NEAR(course.swaps, 375, 10);
  EXPECT_LT(course.longest_wait, in_order.longest_wait);
}

TEST(SchedulerWalk, lingering_lets_sequential_clients_keep_the_slot) {
  Closed load;
  load.clients = 2;
  load.sessions = 2;
  load.think = 0.5;
  Rules rules;
  rules.swap = 8;
  auto const without = closed_loop(load, rules, false);
  rules.linger = 1;
  auto const with = closed_loop(load, rules, false);
  EXPECT_EQ(without.swaps, load.requests);
  EXPECT_LT(with.swaps, without.swaps / 4);
  EXPECT_LT(with.end, without.end * 0.6);
}

}  // namespace
}  // namespace slotswap::slots
