// Whose turn it is at the slots of a pool, and at which of them (docs/queue.md). A slot's own
// session goes first, as long as nobody waits past his bound; after an answer a free slot may
// linger for the next request of its session. Owns no I/O and no clock. Pure.
#pragma once

#include <slotswap/base/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace slotswap::slots {

using base::Duration;
using base::TimePoint;

/// Given out in the order of arrival.
using Ticket = std::uint64_t;

struct Request {
  Request() = default;
  Ticket ticket = 0;
  std::string session;  // empty: it has none, and shares nothing with another
  std::string avoid;    // a session whose slot is not for it, where it may run in another
  std::string client;   // sessions of different clients take turns; empty: one client as well
  Duration max_overtake{};
  std::vector<std::size_t> seats;  // where it may run
  bool whole = false;              // it needs all of them at once
  bool lingers = true;             // it waits while a slot lingers for another session
};

class Scheduler {
 public:
  /// A slot, numbered from 0.
  std::size_t add_seat();
  /// A closed one is given to nobody but to those that may go nowhere else.
  void open(std::size_t seat, bool open) { seats_[seat].open = open; }

  void enter(Request request, TimePoint now);
  /// Out of the line; false when it does not wait (it owns a slot, or is gone).
  bool leave(Ticket ticket);

  struct Grant {
    Ticket ticket = 0;
    std::string session;
    std::vector<std::size_t> seats;  // one; all of its own for a whole request
    std::vector<std::size_t> left;   // that held or ran its session until now: it has moved
  };
  /// Who starts now; to be asked until there is none.
  std::optional<Grant> next(TimePoint now);
  /// When next() may answer otherwise though nothing happened.
  std::optional<TimePoint> deadline(TimePoint now) const;

  /// The owner has the slot as it needs it: what was there before is saved, or lost.
  void swapped(std::size_t seat) { seats_[seat].leaving.clear(); }
  /// The owner is done. `resident`: whose prompt cache the slot holds now, empty: nobody's.
  /// `linger`: how long its next request is worth waiting for.
  void release(std::size_t seat, std::string resident, Duration linger, TimePoint now);
  /// What the slot holds changed without an owner.
  void holds(std::size_t seat, std::string resident);

  bool free(std::size_t seat) const { return seats_[seat].owner == 0 && !wanted(seat); }
  std::size_t waiting() const { return line_.size(); }
  /// Of those that may run there.
  std::size_t waiting(std::size_t seat) const;

 private:
  struct Seat {
    bool open = true;
    Ticket owner = 0;  // 0: free
    std::string resident;
    std::string running;       // the owner's session
    std::string leaving;       // that was there before, until the owner's swap is over
    std::deque<Ticket> batch;  // of one session, chosen together
    TimePoint last_use = TimePoint::min();
    TimePoint free_since{};
    TimePoint linger_until = TimePoint::min();
    TimePoint started{};
    std::string const& session() const { return owner != 0 ? running : resident; }
  };
  struct Waiting {
    Waiting(Request request_, TimePoint arrived_)
        : request(std::move(request_)), arrived(arrived_) {}
    Request request;
    TimePoint arrived;
    Duration overtaken{};  // how long those ran that came later
    bool overdue(TimePoint now) const { return now - arrived >= request.max_overtake; }
    bool worn() const { return overtaken >= request.max_overtake; }
  };
  using Line = std::deque<Waiting>;  // in the order of arrival

  std::optional<Grant> next_of_whole(TimePoint now);
  std::optional<Grant> next_of_batches(TimePoint now);
  std::optional<Grant> next_overdue(TimePoint now);
  std::optional<Grant> next_resident(TimePoint now);
  std::optional<Grant> next_in_turn(TimePoint now);
  Grant grant(Line::iterator who, std::size_t seat, TimePoint now);
  void start_batch(Waiting const& first, std::size_t seat);
  void take(std::size_t seat, Request const& request, TimePoint now);
  Grant start(Request request, std::vector<std::size_t> seats, TimePoint now);
  void count_turn(std::string const& client);

  bool may_run(Waiting const& who, std::size_t seat) const;
  bool shuns(Waiting const& who, std::size_t seat) const;
  bool being_saved(std::string const& session) const;
  bool allowed(Waiting const& who, std::size_t seat) const;
  bool usable(Waiting const& who, std::size_t seat) const;
  bool wanted(std::size_t seat) const;
  std::optional<std::size_t> home(Waiting const& who) const;
  std::optional<std::size_t> place_for(Waiting const& who, bool past_linger, TimePoint now) const;
  bool fair(Waiting const& next, std::size_t seat) const;
  Line::iterator find(Ticket ticket);

  std::vector<Seat> seats_;
  Line line_;
  Ticket gathering_ = 0;  // of a whole request whose slots are kept free for it; 0: none
  std::map<std::string, std::uint64_t> turns_;  // when a client was last served, counted
  std::uint64_t turn_ = 0;
};

}  // namespace slotswap::slots
