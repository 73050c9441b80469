// How many requests wait for a slot, by route and by client, and the limits of that
// (docs/queue.md). Pure.
#pragma once

#include <slotswap/base/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace slotswap::slots {

class Line {
 public:
  /// How many may wait at once; 0: any number.
  struct Limits {
    Limits() = default;
    std::uint64_t in_all = 0;
    std::uint64_t per_client = 0;
  };

  /// Why there is no place for one more; none: it waits now.
  std::optional<std::string> enter(std::size_t route, std::string const& client,
                                   Limits const& limits);
  /// `waited`: until its turn came; none: it was given up.
  void leave(std::size_t route, std::string const& client, std::optional<base::Duration> waited);
  /// For Retry-After: what the last ones of the route waited, on the average.
  int seconds_to_wait(std::size_t route) const;
  std::uint64_t waiting(std::size_t route) const;

 private:
  struct Route {
    std::uint64_t waiting = 0;
    std::map<std::string, std::uint64_t> of_client;
    base::Duration mean{};  // of the waits; the newest counts for a quarter
  };
  std::map<std::size_t, Route> routes_;
};

/// A request's place in it: given up when it is dropped.
class PlaceInLine {
 public:
  PlaceInLine(Line& line, std::size_t route, std::string client, base::TimePoint since)
      : line_(line), route_(route), client_(std::move(client)), since_(since) {}
  PlaceInLine(PlaceInLine const&) = delete;
  PlaceInLine& operator=(PlaceInLine const&) = delete;
  ~PlaceInLine() { line_.leave(route_, client_, waited_); }
  void turn_came(base::TimePoint now) { waited_ = now - since_; }

 private:
  Line& line_;
  std::size_t route_;
  std::string client_;
  base::TimePoint since_;
  std::optional<base::Duration> waited_;
};

}  // namespace slotswap::slots
