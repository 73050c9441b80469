// Plays the rounds: traffic, the thing that happens, then every session once more; and judges what
// came of it.
#pragma once

#include "torture_run/damage.hpp"
#include "torture_run/house.hpp"
#include "torture_run/ledger.hpp"
#include "torture_run/sessions.hpp"
#include "torture_run/tally.hpp"

#include <functional>
#include <string>
#include <vector>

namespace slotswap::torture {

struct RoundsOptions {
  HouseOptions house;
  bool unseen_may_pass = false;  // where only size and time of change are looked at
};

class Rounds {
 public:
  Rounds(RoundsOptions const& options, SmallDisk const& disk);

  // So that there is something to lose.
  void warm_up();
  Round const& play(Plan const& plan);
  // Both programs are ended in order.
  Tally const& finish();
  [[nodiscard]] std::size_t leftovers() const { return ledger_.leftovers(); }

 private:
  using Happening = std::function<void()>;
  // Asks batch after batch; the thing happens while this one is under way, at the plan's instant.
  void drive(std::vector<Batch> const& batches, std::size_t at, Happening const& happening);
  void drive(std::vector<Batch> const& batches) { drive(batches, batches.size(), nullptr); }

  void end_one(Plan const& plan);
  void play_full_disk(Plan const& plan);
  void play_damage(Plan const& plan);
  void spoil(std::string const& name);
  void mend();
  void everyone_asks();

  void judge();
  void judge(Asked const& asked);
  void judge(Restore const& restore);
  void offence(Round& round, int& count, std::string const& text);

  bool unseen_may_pass_;
  SmallDisk const& disk_;
  House house_;
  OtherModel other_;
  Ledger ledger_;
  Sessions sessions_;
  Tally tally_;
  Round* round_ = nullptr;
  std::vector<std::string> names_;  // of the sessions, at the round's beginning
};

}  // namespace slotswap::torture
