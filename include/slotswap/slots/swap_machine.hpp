// What has to be done to a slot before a request may run in it, one step at a time. Pure: the shell
// performs each action and reports what came of it. Every path ends in Action::Kind::done, whatever
// fails: a request never fails because of slot work, it only goes on cold.
#pragma once

#include <slotswap/slots/slot.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace slotswap::slots {

/// What the slot is wanted for.
struct Goal {
  Goal() = default;
  enum class Kind {
    session,    // a request of `key`
    pass,       // a request without a key: save what leaves, then nothing
    hands_off,  // a request while slot calls cannot be made: only the lease counts
    save_only,  // no request: an idle save, or the last one before the end
  };
  Kind kind = Kind::hands_off;
  std::string key;
  bool has_state = false;  // a saved state of `key` may be restored
  bool erase_on_miss = false;
  bool savable = true;  // whether what the request leaves may be saved
};

struct SwapTimes {
  Duration trust{std::chrono::seconds(2)};  // after an answer nothing is asked for so long
  Duration look_again{
      std::chrono::seconds(2)};  // polling faster keeps a server from noticing that its client left
  Duration after_event{std::chrono::milliseconds(300)};
  Duration before_event{std::chrono::milliseconds(1200)};
  Duration busy_wait{std::chrono::seconds(3600)};  // how long a slot that others use is waited for
};

struct Action {
  Action() = default;
  enum class Kind { done, wait, ask_props, look, save, restore, erase };
  Kind kind = Kind::done;
  TimePoint until{};  // wait
};

struct Event {
  Event() = default;
  enum class Kind {
    begin,
    woke,
    props,    // `alive` (neither asleep nor another process than last time) or not
    looked,   // `stamp`: idle; none: busy
    ok,       // save, restore, erase
    refused,  // the server answered that it would not
    denied,   // it let nobody do it (a key): nothing was changed
    failed,   // no answer in time, or none at all; of a look: the server is not there
    missing,  // there is no state to restore after all
    wrong,    // something was restored, but not what had been saved
  };
  Kind kind = Kind::begin;
  bool alive = true;
  /// Of props: whether a state may be restored into the server as it is now; none: as before.
  std::optional<bool> has_state;
  std::optional<Stamp> stamp;
  std::int64_t tokens = 0;  // of a restore
  bool cancelled = false;   // the request was given up meanwhile: begin nothing more
};

/// Why the request goes on without its cache, for the log.
enum class Note {
  none,
  busy_too_long,
  changed_behind_us,
  slept,
  server_silent,
  save_refused,
  restore_refused,
  call_failed
};
char const* to_string(Note note);

class SwapMachine {
 public:
  SwapMachine(Slot& slot, Goal goal, SwapTimes times)
      : slot_(slot), goal_(std::move(goal)), times_(times) {}

  Action step(Event const& event, TimePoint now);

  Note note() const { return note_; }
  bool saved() const { return saved_; }
  bool restored() const { return restored_; }
  bool erased() const { return erased_; }

 private:
  enum class Phase { start, wait_cancelled, wait_busy, props, look, save, restore, erase, done };

  Action start(TimePoint now);
  Action wait_cancelled();
  Action check(TimePoint now);
  Action after_props(Event const& event, TimePoint now);
  Action look(TimePoint now);
  Action ask_props();
  Action after_look(std::optional<Stamp> const& stamp, TimePoint now);
  Action make_room();
  Action busy(TimePoint now);
  Action after_save(Event const& event);
  Action fill();
  Action after_restore(Event const& event);
  Action after_erase(Event const& event);
  Action lost(Note note);
  Action done();
  bool wants_calls() const;
  bool uncertain_since(TimePoint answer, TimePoint now) const;
  bool must_erase() const;
  bool at_home() const;
  bool loses_own() const;

  Slot& slot_;
  Goal goal_;
  SwapTimes times_;
  Phase phase_ = Phase::start;
  Note note_ = Note::none;
  std::optional<TimePoint> busy_since_;
  bool asked_props_ = false;
  bool looked_idle_ = false;
  bool saved_ = false;
  bool restored_ = false;
  bool erased_ = false;
};

}  // namespace slotswap::slots
