#include "torture_run/rounds.hpp"

#include "support/wait.hpp"

#include <poll.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace slotswap::torture {
namespace {

// Only a hang reaches it: each request has a limit of its own.
constexpr Milliseconds patience{600'000};

std::vector<Batch> one_by_one() {
  std::vector<Batch> batches;
  for (std::size_t i = 0; i < Sessions::count; ++i) batches.push_back({i});
  return batches;
}

void ask_at_once(Sessions& sessions, Batch const& batch) {
  std::vector<std::jthread> clients;
  for (auto const which : batch) clients.emplace_back([&sessions, which] { sessions.ask(which); });
}

}  // namespace

Rounds::Rounds(RoundsOptions const& options, SmallDisk const& disk)
    : unseen_may_pass_(options.unseen_may_pass),
      disk_(disk),
      house_(options.house),
      ledger_(options.house.folder),
      sessions_(house_, ledger_) {}

void Rounds::warm_up() {
  round_ = &tally_.begin(Plan());
  everyone_asks();
  everyone_asks();
  judge();
}

Round const& Rounds::play(Plan const& plan) {
  round_ = &tally_.begin(plan);
  names_ = sessions_.names();
  if (is_damage(plan.kind)) {
    play_damage(plan);
  } else if (plan.kind == Kind::disk_full) {
    play_full_disk(plan);
  } else {
    drive(plan.batches(), plan.before.size() - 1, [&] { end_one(plan); });
  }
  everyone_asks();
  judge();
  return *round_;
}

Tally const& Rounds::finish() {
  auto const odd = house_.stop();
  if (!odd.empty()) offence(*round_, round_->counts.died, odd);
  judge();
  return tally_;
}

void Rounds::drive(std::vector<Batch> const& batches, std::size_t at, Happening const& happening) {
  std::atomic<std::size_t> begun{0};
  std::atomic<bool> over{false};
  std::jthread const traffic([&] {
    for (auto const& batch : batches) {
      ++begun;
      ask_at_once(sessions_, batch);
    }
    over = true;
  });
  if (happening) {
    test::eventually([&] { return begun > at; }, patience);
    ::poll(nullptr, 0, static_cast<int>(round_->plan.delay.count()));
    mend();
    // What is committed at that instant counts.
    for (auto const& name : names_) ledger_.undamaged(name);
    happening();
  }
  auto const done = [&] {
    mend();
    return over.load();
  };
  if (!test::eventually(done, patience)) throw std::runtime_error("the traffic does not end");
}

void Rounds::everyone_asks() {
  drive(one_by_one());
}

void Rounds::mend() {
  auto const dead = house_.mend();
  if (!dead.empty())
    offence(*round_, round_->counts.died, dead + house_.log_of("event=restore ", 1));
}

}  // namespace slotswap::torture
