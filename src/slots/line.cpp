#include <slotswap/slots/line.hpp>

#include <algorithm>
#include <chrono>

namespace slotswap::slots {

namespace {

constexpr std::int64_t longest_advice = 600;  // seconds

std::string full(std::string const& whose, std::uint64_t waiting, std::string const& key) {
  return whose + " has " + std::to_string(waiting) + " requests waiting for a slot, as many as " +
         key + " allows";
}

}  // namespace

std::optional<std::string> Line::enter(std::size_t route, std::string const& client,
                                       Limits const& limits) {
  auto& line = routes_[route];
  if (limits.in_all > 0 && line.waiting >= limits.in_all)
    return full("the route", line.waiting, "max_queue");
  auto const place = line.of_client.find(client);
  auto const own = place == line.of_client.end() ? 0 : place->second;
  if (limits.per_client > 0 && own >= limits.per_client)
    return full("this client", own, "max_queue_per_key");
  ++line.waiting;
  ++line.of_client[client];
  return std::nullopt;
}

void Line::leave(std::size_t route, std::string const& client,
                 std::optional<base::Duration> waited) {
  auto& line = routes_[route];
  --line.waiting;
  auto const place = line.of_client.find(client);
  if (--place->second == 0) line.of_client.erase(place);
  if (waited) line.mean = (line.mean * 3 + *waited) / 4;
}

int Line::seconds_to_wait(std::size_t route) const {
  auto const place = routes_.find(route);
  if (place == routes_.end()) return 1;
  auto const seconds = std::chrono::ceil<std::chrono::seconds>(place->second.mean).count();
  return static_cast<int>(std::clamp<std::int64_t>(seconds, 1, longest_advice));
}

std::uint64_t Line::waiting(std::size_t route) const {
  auto const place = routes_.find(route);
  return place == routes_.end() ? 0 : place->second.waiting;
}

}  // namespace slotswap::slots
