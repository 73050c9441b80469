// How requests of a route wait for a slot.
#include "route_parts.hpp"

namespace slotswap::config {
namespace {

constexpr std::uint64_t longest_queue = 1'000'000;

void read_queue(Section const& section, Queueing& queue, RoutePlaces& where) {
  Queueing const usual;
  section.seconds("max_overtake_seconds", queue.max_overtake, any_seconds);
  note(section, "max_overtake_seconds", queue.max_overtake != usual.max_overtake, where);
  section.seconds_or_auto("linger_seconds", queue.linger, any_seconds);
  note(section, "linger_seconds", queue.linger != usual.linger, where);
  section.count("max_queue", queue.max_waiting, 0, longest_queue);
  note(section, "max_queue", queue.max_waiting != usual.max_waiting, where);
  section.count("max_queue_per_key", queue.max_waiting_per_key, 0, longest_queue);
  note(section, "max_queue_per_key", queue.max_waiting_per_key != usual.max_waiting_per_key, where);
  section.seconds("queue_timeout_seconds", queue.timeout, any_seconds);
  note(section, "queue_timeout_seconds", queue.timeout != usual.timeout, where);
}

}  // namespace

void note(Section const& section, std::string_view key, bool says, RoutePlaces& where) {
  if (!section.has(key)) return;
  std::erase_if(where.for_waiting, [key](Given const& given) { return given.key == key; });
  if (says) where.for_waiting.push_back({std::string(key), section.place_of(key)});
}

void read_waiting(Section const& section, Route& route, RoutePlaces& where) {
  read_queue(section, route.queue, where);
  if (section.has("linger_seconds")) where.linger = section.place_of("linger_seconds");
  section.flag("allow_detached", route.allow_detached, {"true", "false"});
  section.seconds("heartbeat_seconds", route.heartbeat, any_seconds);
  section.seconds("stuck_seconds", route.stuck, any_seconds);
  section.flag("response_headers", route.response_headers, {"on", "off"});
}

void warn_of_linger(Section const& section, Route const& route, RoutePlaces const& where) {
  auto const& queue = route.queue;
  if (!queue.linger || *queue.linger <= queue.max_overtake) return;
  std::string const never = ", and no slot lingers past that";
  if (section.has("max_overtake_seconds") && !section.has("linger_seconds")) {
    section.warning(section.place_of("max_overtake_seconds"), "max_overtake_seconds",
                    "less than `linger_seconds`" + on_line(where.linger) + never);
  } else {
    section.warning(where.linger, "linger_seconds", "more than `max_overtake_seconds`" + never);
  }
}

}  // namespace slotswap::config
