// What one slot holds, as far as we know it, and how an answer's end changes that. Pure: no I/O, no
// clock.
//
// We know what a slot holds because we put it there, everything since went through us, and GET
// /slots still shows the stamp noted when our last request ended. What is not known is never saved.
#pragma once

#include <slotswap/base/clock.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace slotswap::slots {

using base::Duration;
using base::TimePoint;

/// The pair of GET /slots that changes whenever somebody used, erased or restarted the slot.
struct Stamp {
  std::optional<std::int64_t> task;    // id_task
  std::optional<std::int64_t> tokens;  // n_prompt_tokens: what the slot holds now
  bool operator==(Stamp const&) const = default;
};

/// After start, after a failed or timed-out call, after another client was seen.
struct Unknown {
  bool operator==(Unknown const&) const = default;
};

/// Erased by us, emptied by a failed restore or by sleep, or a fresh process.
struct Empty {
  bool operator==(Empty const&) const = default;
};

/// A session's prompt cache.
struct Holds {
  Holds() = default;
  Holds(std::string key_, bool savable_) : key(std::move(key_)), savable(savable_) {}
  bool operator==(Holds const&) const = default;
  std::string key;
  bool savable = true;         // false: a session that is never written to disk
  bool dirty = false;          // has had a request since its last save
  std::optional<Stamp> stamp;  // none: could not be read; then it is never saved
  std::int64_t tokens = 0;     // by the stamp, or as restored
};

using Content = std::variant<Unknown, Empty, Holds>;

std::string to_string(Content const& content);

/// Whether the slot still shows what is known of it; after a restore that is a count alone, and
/// where nothing was noted there is nothing to contradict.
bool shows(Content const& content, Stamp const& seen);

struct Slot;

/// Whether these are the tasks of another process than the one that was seen last, or of one that
/// slept: they begin anew. Nothing known of the old one counts then, not even its model.
bool begun_anew(Slot const& slot, Stamp const& seen);

/// Whose request it was. Without a key nothing is known of what it leaves behind.
struct Guest {
  Guest() = default;
  Guest(std::string key_, bool savable_) : key(std::move(key_)), savable(savable_) {}
  std::optional<std::string> key;
  bool savable = true;
};

/// How a request ended, as the relay saw it.
struct Outcome {
  Outcome() = default;
  enum class Kind {
    complete,   // the whole answer came
    cancelled,  // we closed the server's connection in the middle: it may still run for a while
    broken,     // the server ended the connection, or never could be reached
    not_sent,   // nothing reached the server
  };
  Kind kind = Kind::not_sent;
  int status = 0;          // 0: no head came
  bool had_event = false;  // a byte of the body had come
  // It went out twice, as a kept connection was found closed or a router had lost the model's
  // process: perhaps another process answered.
  bool resent = false;
  bool detached = false;  // cancelled or not, the server takes it to its end
};

/// A cancelled request whose end was not seen yet.
struct Cancelled {
  Guest guest;
  TimePoint at;
  bool had_event = false;
  bool accepted = false;  // a 2xx head had come: its prompt was being processed
};

struct Slot {
  Content content = Unknown{};
  std::optional<Cancelled> cancelled;
  /// When a look last found the slot busy, whoever looked: the next one waits its two seconds.
  TimePoint last_busy_look = TimePoint::min();
  TimePoint last_answer = TimePoint::min();
  /// id_task when it was last seen; none: not known. A request that left it as it was ran in no
  /// slot, whatever its answer said.
  std::optional<std::int64_t> last_task;

  /// Since /props were last asked nothing spoke for another process.
  bool same_process = false;

  Holds const* holds() const { return std::get_if<Holds>(&content); }
  bool holds(std::string const& key) const { return holds() != nullptr && holds()->key == key; }
  bool unknown() const { return std::holds_alternative<Unknown>(content); }
  /// By it another process is told from the one that was seen last.
  std::optional<std::int64_t> seen_task() const {
    return holds() != nullptr && holds()->stamp ? holds()->stamp->task : last_task;
  }
  /// Whether it can be told from another id_task that a request ran.
  bool task_known() const {
    return std::holds_alternative<Empty>(content) || seen_task().has_value();
  }
  /// Another process, or one that slept: nothing known of it counts. Not Empty, as a request of
  /// ours may have run in it before anybody asked.
  void forget() {
    content = Unknown{};
    cancelled.reset();
    last_task.reset();
  }
  /// It shows what nothing that we know of can have left there: perhaps another process.
  void doubt() {
    content = Unknown{};
    same_process = false;
  }
  /// Its content would be lost at a switch and may be saved.
  bool worth_saving() const {
    return holds() != nullptr && holds()->dirty && holds()->savable && holds()->stamp.has_value();
  }
};

/// The end of a request that ran in the slot. `stamp`: what GET /slots showed right after it, none
/// when it could not be read. The slot becomes the guest's only when its prompt was processed: a
/// 2xx answer and another id_task. Another count of tokens after a refusal is somebody's work, but
/// whose is not known.
void settle(Slot& slot, Guest const& guest, Outcome const& outcome,
            std::optional<Stamp> const& stamp, TimePoint now);

/// A look found the slot idle after a cancelled request: what it holds now. A client beside the
/// proxy that came in between cannot be told from the cancelled request: the proxy must be the only
/// one.
void settle_cancelled(Slot& slot, Stamp const& stamp);

}  // namespace slotswap::slots
