// Which of a route's servers a request may go to, and for how long one that failed is set aside
// (docs/queue.md). Pure.
#pragma once

#include <slotswap/base/clock.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

namespace slotswap::slots {

using base::Duration;
using base::TimePoint;

/// How long a server stays set aside before it is asked whether it is back: each time twice as long
/// as the last.
struct Pauses {
  Pauses() = default;
  Pauses(Duration first_, Duration most_) : first(first_), most(most_) {}
  Duration first{std::chrono::seconds(1)};
  Duration most{std::chrono::seconds(60)};
};

/// One server's.
class Absence {
 public:
  explicit Absence(Pauses pauses) : pauses_(pauses), next_(pauses.first) {}
  bool aside() const { return aside_; }
  /// When it is to be asked.
  TimePoint due() const { return due_; }

  /// It failed a request; the pause. None: it was set aside before.
  std::optional<Duration> failed(TimePoint now);
  /// It was asked in vain; the pause until the next time.
  Duration missed(TimePoint now);
  /// It said that it is there. That it answers requests as well is to be seen: the pauses go on
  /// where they were.
  bool back();
  /// It answered a request. True, as of back(): it was set aside until now.
  bool answered();

 private:
  Duration pause(TimePoint now);

  Pauses pauses_;
  Duration next_;
  bool aside_ = false;
  TimePoint due_ = TimePoint::max();
};

struct Candidate {
  /// `plain`: not swapped, or nobody could ask it yet what it is.
  enum class Kind { swapped, plain, router };
  Candidate(std::size_t server_, Kind kind_, bool aside_ = false, TimePoint due_ = TimePoint::max())
      : server(server_), kind(kind_), aside(aside_), due(due_) {}
  std::size_t server;
  Kind kind;
  bool aside;
  TimePoint due;  // where it is set aside
};

/// Those whose slots it waits for, whichever comes first; else the one that it is sent to. Of
/// servers that are all set aside the one that is asked next is tried.
std::vector<std::size_t> choose(std::vector<Candidate> const& candidates);

/// For each of `count` servers the first of those that it is connected with by lists that name
/// both, itself included.
std::vector<std::size_t> connected(std::size_t count,
                                   std::vector<std::vector<std::size_t>> const& lists);

}  // namespace slotswap::slots
