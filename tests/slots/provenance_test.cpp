// Ten thousand random steps against a model of llama-server's slot that knows whose tokens it
// really holds: nothing is ever saved under a name that is not theirs, and never an empty slot.
#include <slotswap/slots/swap_machine.hpp>

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

namespace slotswap::slots {
namespace {

/// The server's side: the truth.
struct Truth {
  std::string owner;  // whose prompt the slot holds; "" is nobody's
  std::int64_t tokens = 0;
  std::optional<std::int64_t> task;
  std::int64_t last_task = 0;
  bool asleep = false;
  int busy_looks = 0;  // how often a look still says busy
  int process = 0;
  int model = 0;

  void run(std::string who, std::int64_t count) {
    owner = std::move(who);
    tokens = count;
    task = ++last_task;
    asleep = false;
  }
  void refuse() {
    task = ++last_task;
    asleep = false;
  }
  void restart(int with_model) {
    lose();
    asleep = false;
    busy_looks = 0;
    last_task = 0;
    ++process;
    model = with_model;
  }
  void lose() {
    owner.clear();
    tokens = 0;
    task.reset();
  }
  Stamp stamp() {
    ++last_task;  // a look is a task of its own
    Stamp result;
    if (!task) return result;
    result.task = task;
    result.tokens = tokens;
    return result;
  }
};

class World {
 public:
  explicit World(unsigned seed) : random_(seed) {}

  void step() {
    now_ += std::chrono::milliseconds(roll(10) == 0 ? 5000 : 300);
    switch (roll(15)) {
      case 0:
        return stranger();
      case 5:
        return restart_at_once();
      case 3:
        return restart();
      case 4:
        return prune();
      case 1:
        return truth_.lose(), void(truth_.asleep = true);
      case 2:
        return idle_save();
      default:
        return request();
    }
  }

  int saves = 0;
  int restores = 0;

 private:
  unsigned roll(unsigned sides) { return static_cast<unsigned>(random_() % sides); }

  void prune() {
    if (saved_.empty()) return;
    auto const which = roll(static_cast<unsigned>(saved_.size()));
    saved_.erase(std::next(saved_.begin(), static_cast<std::ptrdiff_t>(which)));
  }

  void restart() {
    truth_.restart(static_cast<int>(roll(2)));
    now_ += std::chrono::seconds(3);
  }

  // So quick that nobody asks whether it is still the same process. Two in a row, with a request in
  // between, are beyond what can be told.
  void restart_at_once() {
    if (known_process_ == truth_.process) truth_.restart(static_cast<int>(roll(2)));
  }

  // One that comes while a cancelled request is still to be seen idle, or between two requests so
  // close that nothing is looked at, cannot be told from ours.
  void stranger() {
    if (slot_.cancelled) return;
    truth_.run("stranger", 1 + static_cast<std::int64_t>(roll(4)));
    beside_ = true;
    now_ += std::chrono::seconds(3);
  }

  void idle_save() {
    Goal goal;
    goal.kind = Goal::Kind::save_only;
    prepare(goal, false);
  }

  void prepare(Goal const& goal, bool give_up) {
    looked_busy_ = false;
    SwapMachine machine(slot_, goal, SwapTimes());
    Event event;
    for (;;) {
      event.cancelled = give_up && roll(3) == 0;
      auto const action = machine.step(event, now_);
      if (action.kind == Action::Kind::done) return;
      event = perform(action, goal);
    }
  }

  Event perform(Action const& action, Goal const& goal) {
    Event event;
    using Kind = Action::Kind;
    switch (action.kind) {
      case Kind::wait:
        event.kind = Event::Kind::woke;
        now_ = std::max(now_, action.until);
        if (looked_busy_ && roll(6) == 0) truth_.restart(static_cast<int>(roll(2)));
        break;
      case Kind::ask_props:
        event.kind = Event::Kind::props;
        if (roll(30) == 0) {
          event.kind = Event::Kind::failed;
          contact_lost_ = true;
          break;
        }
        event.alive = !truth_.asleep && known_process_ == truth_.process;
        // The shell looks closer at a new process.
        if (known_process_ != truth_.process) truth_.stamp();
        known_process_ = truth_.process;
        known_model_ = truth_.model;
        event.has_state = saved_.count(goal.key) > 0 && goal.key.back() == '0' + known_model_;
        break;
      case Kind::look:
        event.kind = Event::Kind::looked;
        truth_.asleep = false;
        looked_busy_ = truth_.busy_looks > 0;
        if (looked_busy_) {
          --truth_.busy_looks;
        } else {
          event.stamp = truth_.stamp();
          beside_ = false;
        }
        break;
      case Kind::save:
        return save();
      case Kind::restore:
        return restore(goal.key);
      case Kind::erase:
        event.kind = Event::Kind::ok;
        ++truth_.last_task;
        truth_.owner.clear();
        truth_.tokens = 0;
        break;
      case Kind::done:
        break;
    }
    return event;
  }

  Event save() {
    Event event;
    event.kind = roll(10) == 0 ? Event::Kind::refused : Event::Kind::ok;
    ++truth_.last_task;
    if (event.kind == Event::Kind::refused) return event;
    auto const key = slot_.holds()->key;
    EXPECT_EQ(truth_.owner, key);
    EXPECT_GT(truth_.tokens, 0);
    saved_[key] = truth_.tokens;
    ++saves;
    return event;
  }

  Event restore(std::string const& key) {
    Event event;
    ++truth_.last_task;
    if (roll(10) == 0) {
      event.kind = Event::Kind::refused;
      truth_.owner.clear();
      truth_.tokens = 0;
      return event;
    }
    EXPECT_EQ(key.back(), '0' + truth_.model) << "another model's state";
    event.kind = Event::Kind::ok;
    event.tokens = truth_.tokens = saved_.at(key);
    truth_.owner = key;
    ++restores;
    return event;
  }

  // As the shell does after a connection that failed: it asks again which process and model it is.
  void contact() {
    if (!std::exchange(contact_lost_, false)) return;
    known_model_ = truth_.model;
    if (std::exchange(known_process_, truth_.process) == truth_.process) return;
    slot_.content = Unknown{};  // a request may have run in the new process before this
    slot_.cancelled.reset();
    slot_.last_task.reset();
  }

  void request() {
    contact();
    auto const session = std::string(1, static_cast<char>('a' + roll(4)));
    auto const key = session + std::to_string(known_model_);
    auto const give_up = roll(8) == 0;
    Goal goal;
    goal.kind = roll(12) == 0 ? Goal::Kind::pass : Goal::Kind::session;
    goal.key = key;
    goal.has_state = saved_.count(key) > 0;
    goal.erase_on_miss = roll(2) == 0;
    goal.savable = roll(5) != 0;
    prepare(goal, give_up);
    if (give_up) return;
    Guest guest;
    // The preparation may have met another model.
    if (goal.kind == Goal::Kind::session)
      guest = Guest(session + std::to_string(known_model_), goal.savable);
    serve(guest);
  }

  void serve(Guest const& guest) {
    auto const who = guest.key.value_or("nobody");
    auto const count =
        1 + static_cast<std::int64_t>(roll(4));  // few values: equal counts by chance
    Outcome outcome;
    outcome.kind = Outcome::Kind::complete;
    std::optional<Stamp> seen;
    auto ran_nothing = false;
    switch (roll(7)) {
      case 0:  // refused: the task moves, the tokens stay
        outcome.status = 400;
        truth_.refuse();
        break;
      case 3:  // a path that answers 2xx and needs no slot
        outcome.status = 200;
        ran_nothing = !beside_;
        if (!ran_nothing) truth_.run(who, count);
        break;
      case 1:  // given up before its head: it may have begun, or was to be refused, or neither
        outcome.kind = Outcome::Kind::cancelled;
        if (auto const how = roll(3); how == 0 || beside_) {
          truth_.run(who, count);
        } else if (how == 1) {
          truth_.refuse();
        }
        truth_.busy_looks = static_cast<int>(roll(3));
        break;
      case 2:  // given up in its answer
        outcome.kind = Outcome::Kind::cancelled;
        outcome.status = 200;
        outcome.had_event = true;
        truth_.run(who, count);
        truth_.busy_looks = static_cast<int>(roll(3));
        break;
      default:
        outcome.status = 200;
        truth_.run(who, count);
        break;
    }
    if (roll(30) == 0) restart_at_once();
    if (outcome.kind == Outcome::Kind::complete && (ran_nothing || roll(8) != 0)) {
      seen = truth_.stamp();
      beside_ = false;
    }
    settle(slot_, guest, outcome, seen, now_);
  }

  std::mt19937 random_;
  Truth truth_;
  Slot slot_;
  int known_process_ = 0;
  int known_model_ = 0;
  bool contact_lost_ = false;
  bool looked_busy_ = false;
  bool beside_ = false;  // a stranger came since the last look: it cannot be told from ours
  TimePoint now_ = TimePoint() + std::chrono::hours(1);
  std::map<std::string, std::int64_t> saved_;
};

TEST(Provenance, nothing_is_saved_under_a_name_that_is_not_its_own) {
  int saves = 0;
  int restores = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    World world(seed);
    for (int step = 0; step < 10'000 && !::testing::Test::HasFailure(); ++step) world.step();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    saves += world.saves;
    restores += world.restores;
  }
  EXPECT_GT(saves, 1000);
  EXPECT_GT(restores, 1000);
}

}  // namespace
}  // namespace slotswap::slots
