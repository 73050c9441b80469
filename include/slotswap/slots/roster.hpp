// Which models of a router are loaded, who uses them and since when, and what a request for one has
// to wait for: room first (docs/router.md). Owns no I/O and no clock: the order of use is counted.
// Pure.
#pragma once

#include <slotswap/slots/scheduler.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace slotswap::slots {

/// What the router says of a model.
enum class Presence { absent, loading, present, asleep };

class Roster {
 public:
  /// How many models may be loaded at once; 0: any number.
  void limit(std::size_t most) { most_ = most; }

  /// What the router says. Whether that is news.
  bool saw(std::string const& model, Presence presence);
  Presence presence(std::string const& model) const;

  /// A request that needs the model and is about to start: one under way keeps it from being a
  /// victim, the last start decides among those that may be one.
  void begin(std::string const& model);
  void end(std::string const& model);
  std::size_t in_flight(std::string const& model) const;

  struct Step {
    enum class Kind {
      go,     // it is loaded
      wait,   // until something changes
      load,   // there is room: reserve() it, then load
      evict,  // unload `victim` first: leave() says that somebody is at it
    };
    Step(Kind kind_, std::string victim_ = {}) : kind(kind_), victim(std::move(victim_)) {}
    Kind kind;
    std::string victim;
  };
  /// What a request for `model` does now. Those that wait for room are served in the order in which
  /// they first asked; a request for a loaded model never waits for them.
  Step next(std::string const& model, Ticket ticket);
  /// The ticket does not wait any more.
  void give_up(Ticket ticket);

  /// Room is kept for it until the router says that it is there, or release().
  void reserve(std::string const& model);
  void release(std::string const& model);

  void leave(std::string const& model);
  /// The attempt is over. `stuck`: it could not be unloaded, and is no victim before the router
  /// says something new of it.
  void left(std::string const& model, bool stuck);

 private:
  struct Model {
    Presence presence = Presence::absent;
    std::size_t reserved = 0;
    std::size_t in_flight = 0;
    std::uint64_t last_use = 0;
    bool leaving = false;
    bool stuck = false;

    bool takes_room() const { return presence != Presence::absent || reserved > 0; }
    bool ready() const { return presence == Presence::present || presence == Presence::asleep; }
  };

  std::size_t room_taken() const;
  bool any_leaving() const;
  std::optional<std::string> victim() const;

  std::size_t most_ = 0;
  std::map<std::string, Model> models_;
  std::deque<std::pair<Ticket, std::string>> line_;  // those that wait for room
  std::uint64_t uses_ = 0;
};

}  // namespace slotswap::slots
