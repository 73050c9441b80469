#include <slotswap/slots/servers.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace slotswap::slots {

Duration Absence::pause(TimePoint now) {
  auto const pause = next_;
  next_ = std::min(pause * 2, pauses_.most);
  due_ = now + pause;
  return pause;
}

std::optional<Duration> Absence::failed(TimePoint now) {
  if (std::exchange(aside_, true)) return std::nullopt;
  return pause(now);
}

Duration Absence::missed(TimePoint now) {
  return pause(now);
}

bool Absence::back() {
  due_ = TimePoint::max();
  return std::exchange(aside_, false);
}

bool Absence::answered() {
  next_ = pauses_.first;
  return back();
}

std::vector<std::size_t> choose(std::vector<Candidate> const& candidates) {
  using Kind = Candidate::Kind;
  std::vector<std::size_t> chosen;
  auto const take = [&](Kind kind) {
    for (auto const& one : candidates) {
      auto const enough = kind != Kind::swapped && !chosen.empty();
      if (one.kind == kind && !one.aside && !enough) chosen.push_back(one.server);
    }
    return !chosen.empty();
  };
  if (take(Kind::swapped) || take(Kind::plain) || take(Kind::router)) return chosen;
  auto const sooner = [](Candidate const& one, Candidate const& other) {
    return one.due < other.due;
  };
  auto const next = std::min_element(candidates.begin(), candidates.end(), sooner);
  if (next != candidates.end()) chosen.push_back(next->server);
  return chosen;
}

std::vector<std::size_t> connected(std::size_t count,
                                   std::vector<std::vector<std::size_t>> const& lists) {
  std::vector<std::size_t> first(count);
  std::iota(first.begin(), first.end(), std::size_t{0});
  for (auto changed = true; changed;) {
    changed = false;
    for (auto const& list : lists) {
      auto lowest = count;
      for (auto const server : list) lowest = std::min(lowest, first[server]);
      for (auto const server : list) changed |= std::exchange(first[server], lowest) != lowest;
    }
  }
  return first;
}

}  // namespace slotswap::slots
