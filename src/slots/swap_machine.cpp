#include <slotswap/slots/swap_machine.hpp>

namespace slotswap::slots {

namespace {

Action act(Action::Kind kind, TimePoint until = {}) {
  Action action;
  action.kind = kind;
  action.until = until;
  return action;
}

}  // namespace

char const* to_string(Note note) {
  switch (note) {
    case Note::none:
      return "none";
    case Note::busy_too_long:
      return "busy_too_long";
    case Note::changed_behind_us:
      return "changed_behind_us";
    case Note::slept:
      return "slept_or_restarted";
    case Note::server_silent:
      return "server_silent";
    case Note::save_refused:
      return "save_refused";
    case Note::restore_refused:
      return "restore_refused";
    case Note::call_failed:
      return "call_failed";
  }
  return "none";
}

Action SwapMachine::step(Event const& event, TimePoint now) {
  // What was under way has ended and is booked below; nothing new is begun for a request that was
  // given up.
  auto const next = [&]() -> Action {
    switch (phase_) {
      case Phase::start:
        return start(now);
      case Phase::wait_cancelled:
      case Phase::wait_busy:
        return look(now);
      case Phase::props:
        return after_props(event, now);
      case Phase::look:
        return event.kind == Event::Kind::failed ? lost(Note::server_silent)
                                                 : after_look(event.stamp, now);
      case Phase::save:
        return after_save(event);
      case Phase::restore:
        return after_restore(event);
      case Phase::erase:
        return after_erase(event);
      case Phase::done:
        break;
    }
    return done();
  }();
  return event.cancelled ? done() : next;
}

Action SwapMachine::start(TimePoint now) {
  if (goal_.kind == Goal::Kind::hands_off) return done();
  if (!slot_.cancelled) return check(now);
  return uncertain_since(slot_.cancelled->at, now) ? ask_props() : wait_cancelled();
}

Action SwapMachine::wait_cancelled() {
  // The same session goes on with what is there: its next request continues the prefill that was
  // cut.
  auto const own = goal_.kind == Goal::Kind::session && slot_.cancelled->guest.key == goal_.key;
  auto const loses = !goal_.savable && (slot_.cancelled->guest.savable || loses_own());
  if (own && !loses) return done();
  phase_ = Phase::wait_cancelled;
  auto const pause = slot_.cancelled->had_event ? times_.after_event : times_.before_event;
  return act(Action::Kind::wait, slot_.cancelled->at + pause);
}

// A server that slept, or was started anew with another model, does not say so by itself; asking
// for /props never wakes it. A moment after an answer the task number would tell, where one was
// seen.
bool SwapMachine::uncertain_since(TimePoint answer, TimePoint now) const {
  return !slot_.same_process || !slot_.seen_task() || answer == TimePoint::min() ||
         now - answer > times_.trust;
}

// Whether anything has to be asked or done at all.
Action SwapMachine::check(TimePoint now) {
  auto const idle_work = goal_.kind == Goal::Kind::save_only || goal_.kind == Goal::Kind::pass;
  if (goal_.kind == Goal::Kind::save_only && !wants_calls()) return done();
  if (uncertain_since(slot_.last_answer, now)) return ask_props();
  if (!idle_work && at_home()) return done();
  return wants_calls() ? look(now) : done();
}

Action SwapMachine::ask_props() {
  asked_props_ = true;
  phase_ = Phase::props;
  return act(Action::Kind::ask_props);
}

bool SwapMachine::wants_calls() const {
  if (goal_.kind == Goal::Kind::save_only || goal_.kind == Goal::Kind::pass)
    return slot_.worth_saving();
  if (slot_.holds(goal_.key)) return true;
  return slot_.worth_saving() || goal_.has_state || must_erase() || !slot_.task_known();
}

// Unknown is never left to a session as if it were its own past; what it holds might be of another
// tenant's model.
bool SwapMachine::must_erase() const {
  return goal_.kind == Goal::Kind::session && !goal_.has_state &&
         (slot_.unknown() ||
          (goal_.erase_on_miss && slot_.holds() != nullptr && !slot_.holds(goal_.key)));
}

// After a request that is not to be saved the slot is not saved either: what its session has there
// unsaved has to be written before.
bool SwapMachine::loses_own() const {
  return !goal_.savable && slot_.holds(goal_.key) && slot_.worth_saving();
}

bool SwapMachine::at_home() const {
  return goal_.kind == Goal::Kind::session && slot_.holds(goal_.key) && !loses_own();
}

Action SwapMachine::after_props(Event const& event, TimePoint now) {
  if (event.kind != Event::Kind::props) return lost(Note::server_silent);
  slot_.same_process = true;
  // What was known of the server may have been another process: it may take now what it did not.
  goal_.has_state = event.has_state.value_or(goal_.has_state);
  if (!event.alive) {
    note_ = Note::slept;
    slot_.forget();
    return fill();
  }
  if (looked_idle_) return make_room();
  if (slot_.cancelled) return wait_cancelled();
  return wants_calls() ? look(now) : done();
}

Action SwapMachine::look(TimePoint now) {
  // Faster looks would keep the server from noticing that a client of it left.
  auto const seen_busy = slot_.last_busy_look;
  if (seen_busy != TimePoint::min() && now < seen_busy + times_.look_again) {
    if (goal_.kind == Goal::Kind::save_only && times_.busy_wait <= Duration::zero()) {
      note_ = Note::busy_too_long;
      return done();
    }
    phase_ = Phase::wait_busy;
    return act(Action::Kind::wait, seen_busy + times_.look_again);
  }
  phase_ = Phase::look;
  return act(Action::Kind::look);
}

Action SwapMachine::busy(TimePoint now) {
  if (!busy_since_) busy_since_ = now;
  slot_.last_busy_look = now;
  asked_props_ = false;  // what they said may be an hour old when the wait is over
  if (now - *busy_since_ < times_.busy_wait) {
    phase_ = Phase::wait_busy;
    return act(Action::Kind::wait, now + times_.look_again);
  }
  note_ = Note::busy_too_long;
  // Nothing was going to run here: what the slot holds is for the next look to tell.
  if (goal_.kind == Goal::Kind::save_only) return done();
  return lost(Note::busy_too_long);
}

Action SwapMachine::after_look(std::optional<Stamp> const& stamp, TimePoint now) {
  if (!stamp) return busy(now);
  looked_idle_ = true;
  // Where no task was known, this one says nothing of the process.
  auto const blind = !slot_.seen_task();
  if (slot_.cancelled) {
    settle_cancelled(slot_, *stamp);
  } else if (begun_anew(slot_, *stamp) || !shows(slot_.content, *stamp)) {
    note_ = Note::changed_behind_us;
    slot_.doubt();
  }
  slot_.last_task = stamp->task;
  // Another client, or another process with another model: a state must fit before it is offered.
  if (!asked_props_ && (!slot_.same_process || blind || busy_since_)) return ask_props();
  return make_room();
}

Action SwapMachine::make_room() {
  if (at_home()) return done();
  if (!slot_.worth_saving()) return fill();
  phase_ = Phase::save;
  return act(Action::Kind::save);
}

Action SwapMachine::after_save(Event const& event) {
  if (event.kind == Event::Kind::ok) {
    saved_ = true;
    if (auto* holds = std::get_if<Holds>(&slot_.content)) holds->dirty = false;
    return fill();
  }
  if (event.kind == Event::Kind::refused) {
    note_ = Note::save_refused;
    return fill();
  }
  if (event.kind == Event::Kind::denied) {
    note_ = Note::save_refused;
    return done();
  }
  // It may still be running, with everything else parked behind it.
  return lost(Note::call_failed);
}

Action SwapMachine::lost(Note note) {
  note_ = note;
  slot_.content = Unknown{};
  // Whether the cancelled one ran was never seen: another id_task proves nothing of the next.
  if (slot_.cancelled) slot_.last_task.reset();
  slot_.cancelled.reset();
  return done();
}

Action SwapMachine::fill() {
  if (goal_.kind != Goal::Kind::session || slot_.holds(goal_.key)) return done();
  if (goal_.has_state) {
    phase_ = Phase::restore;
    return act(Action::Kind::restore);
  }
  if (!must_erase()) return done();
  phase_ = Phase::erase;
  return act(Action::Kind::erase);
}

Action SwapMachine::after_restore(Event const& event) {
  if (event.kind == Event::Kind::missing || event.kind == Event::Kind::wrong) {
    if (event.kind == Event::Kind::wrong) slot_.content = Unknown{};
    goal_.has_state = false;
    return fill();
  }
  if (event.kind == Event::Kind::ok) {
    restored_ = true;
    Holds holds(goal_.key, true);
    holds.tokens = event.tokens;
    slot_.content = holds;
  } else if (event.kind == Event::Kind::refused) {
    // llama-server empties the slot when a restore fails.
    note_ = Note::restore_refused;
    slot_.content = Empty{};
  } else if (event.kind == Event::Kind::denied) {
    note_ = Note::restore_refused;
  } else {
    note_ = Note::call_failed;
    slot_.content = Unknown{};
  }
  return done();
}

Action SwapMachine::after_erase(Event const& event) {
  if (event.kind == Event::Kind::ok) {
    erased_ = true;
    slot_.content = Empty{};
  } else {
    note_ = Note::call_failed;
    slot_.content = Unknown{};
  }
  return done();
}

Action SwapMachine::done() {
  phase_ = Phase::done;
  return act(Action::Kind::done);
}

}  // namespace slotswap::slots
