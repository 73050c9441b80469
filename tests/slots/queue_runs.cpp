#include "queue_runs.hpp"

#include <algorithm>
#include <optional>
#include <queue>
#include <random>

namespace slotswap::slots {

namespace {

TimePoint at(double seconds) {
  return TimePoint() + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

Duration span(double seconds) {
  return at(seconds) - TimePoint();
}

double seconds(TimePoint when) {
  return std::chrono::duration<double>(when - TimePoint()).count();
}

// The slot: who runs, whose cache it holds.
struct Slot1 {
  Slot1(Rules const& rules_, bool in_order_) : rules(rules_), in_order(in_order_) {
    scheduler.add_seat();
  }
  void enter(std::size_t index, std::string const& session, double now) {
    Request request;
    request.ticket = index + 1;
    // Each a session of its own and never overtaken: first come first served.
    request.session = in_order ? "" : session;
    request.max_overtake = in_order ? Duration() : span(rules.bound);
    request.seats.push_back(0);
    scheduler.enter(std::move(request), at(now));
  }
  std::optional<std::size_t> next(double now) {
    auto const granted = scheduler.next(at(now));
    if (!granted) return std::nullopt;
    return static_cast<std::size_t>(granted->ticket - 1);
  }
  // When its answer has ended.
  double run(std::string const& session, double takes, double now) {
    auto const swapped = holds != session;
    swaps += swapped ? 1 : 0;
    holds = session;
    return now + (swapped ? rules.swap : 0) + takes;
  }
  void release(double now) {
    scheduler.release(0, in_order ? "" : holds, span(rules.linger), at(now));
  }
  Rules const& rules;
  bool in_order;
  Scheduler scheduler;
  std::string holds = "-";
  int swaps = 0;
};

Course run(std::vector<Arrival> const& arrivals, Rules const& rules, bool in_order) {
  Course course;
  course.starts.assign(arrivals.size(), -1);
  Slot1 slot(rules, in_order);
  std::size_t arrived = 0;
  std::optional<double> busy_until;
  for (double now = 0;;) {
    while (arrived < arrivals.size() && arrivals[arrived].at <= now) {
      slot.enter(arrived, arrivals[arrived].session, now);
      ++arrived;
    }
    if (busy_until && *busy_until <= now) {
      slot.release(now);
      busy_until.reset();
    }
    if (!busy_until) {
      auto const next = slot.next(now);
      if (next) {
        course.starts[*next] = now;
        busy_until = slot.run(arrivals[*next].session, arrivals[*next].takes, now);
      }
    }
    std::optional<double> then = busy_until;
    auto const add = [&then](double when) { then = then ? std::min(*then, when) : when; };
    if (arrived < arrivals.size()) add(arrivals[arrived].at);
    auto const deadline = slot.scheduler.deadline(at(now));
    if (!busy_until && deadline) add(seconds(*deadline) + 1e-6);
    if (!then) break;
    now = *then;
  }
  course.swaps = slot.swaps;
  course.end = *std::max_element(course.starts.begin(), course.starts.end());
  return course;
}

}  // namespace

Course first_come(std::vector<Arrival> const& arrivals, Rules const& rules) {
  return run(arrivals, rules, true);
}

Course scheduled(std::vector<Arrival> const& arrivals, Rules const& rules) {
  return run(arrivals, rules, false);
}

ClosedCourse closed_loop(Closed const& load, Rules const& rules, bool in_order) {
  struct Coming {
    double at;
    int client;
    bool operator>(Coming const& other) const { return at > other.at; }
  };
  std::mt19937 random(5);
  std::uniform_real_distribution<double> first(0, 1);
  std::priority_queue<Coming, std::vector<Coming>, std::greater<>> coming;
  for (int i = 0; i < load.clients; ++i) coming.push(Coming{first(random), i});
  auto const session = [&](int client) { return std::to_string(client % load.sessions); };
  std::vector<std::pair<double, int>> asked;  // by ticket: when, by whom
  ClosedCourse course;
  Slot1 slot(rules, in_order);
  std::optional<double> busy_until;
  int running = -1;
  for (double now = 0;;) {
    while (!coming.empty() && coming.top().at <= now) {
      auto const client = coming.top().client;
      coming.pop();
      if (static_cast<int>(asked.size()) >= load.requests) continue;
      slot.enter(asked.size(), session(client), now);
      asked.emplace_back(now, client);
    }
    if (busy_until && *busy_until <= now) {
      slot.release(now);
      busy_until.reset();
      coming.push(Coming{now + load.think, running});
      continue;  // who asks again at once is there before the slot goes on
    }
    if (!busy_until) {
      auto const next = slot.next(now);
      if (next) {
        course.longest_wait = std::max(course.longest_wait, now - asked[*next].first);
        running = asked[*next].second;
        busy_until = slot.run(session(running), load.answer, now);
        course.end = *busy_until;
      }
    }
    std::optional<double> then = busy_until;
    auto const add = [&then](double when) { then = then ? std::min(*then, when) : when; };
    if (!coming.empty()) add(coming.top().at);
    auto const deadline = slot.scheduler.deadline(at(now));
    if (!busy_until && deadline) add(seconds(*deadline) + 1e-6);
    if (!then) break;
    now = std::max(now, *then);
  }
  course.swaps = slot.swaps;
  return course;
}

}  // namespace slotswap::slots
