// The things that happen in a round.
#include "torture_run/rounds.hpp"

#include <algorithm>
#include <csignal>
#include <exception>

namespace slotswap::torture {
namespace {

std::vector<Batch> without(std::vector<Batch> batches, std::size_t session) {
  for (auto& batch : batches) {
    std::replace(batch.begin(), batch.end(), session, (session + 1) % Sessions::count);
    if (batch.size() == 2 && batch[0] == batch[1]) batch.pop_back();
  }
  return batches;
}

}  // namespace

void Rounds::end_one(Plan const& plan) {
  std::string odd;
  switch (plan.kind) {
    case Kind::proxy_killed:
      odd = house_.restart_proxy(SIGKILL, plan.down);
      break;
    case Kind::proxy_stopped:
      odd = house_.restart_proxy(SIGTERM, plan.down);
      break;
    case Kind::server_killed:
      house_.restart_server(SIGKILL, plan.down);
      break;
    default:
      house_.restart_server(SIGTERM, plan.down);
      break;
  }
  if (!odd.empty()) offence(*round_, round_->counts.died, odd);
}

void Rounds::play_full_disk(Plan const& plan) {
  auto const saves = [this] { return house_.count({"event=save ", "level=warning"}); };
  auto const before = saves();
  drive(plan.batches(), plan.before.size() - 1, [&] { disk_.fill(plan.room); });
  everyone_asks();
  disk_.free();
  // Less, had it died and begun a new log.
  auto const refused = std::max(saves(), before) - before;
  round_->what += ", saves refused: " + std::to_string(refused);
}

// The victim has no request of its own under way, so that a file that is handed over was looked at
// after the damage.
void Rounds::play_damage(Plan const& plan) {
  auto const has_state = [this](auto which) {
    return ledger_.undamaged(names_[which]).has_value();
  };
  auto const victim = std::find_if(plan.victims.begin(), plan.victims.end(), has_state);
  if (victim == plan.victims.end()) {
    round_->what += ": nobody had a state";
    return drive(plan.before);
  }
  auto const& name = names_[*victim];
  round_->what += ": " + name;
  drive(without(plan.before, *victim), plan.before.size() - 1, [&] {
    if (!plan.while_down) return spoil(name);
    house_.restart_proxy(SIGKILL, plan.down, [&] { spoil(name); });
  });
  drive(plan.after);
}

// Its state may be replaced by a new one meanwhile, and the file be gone.
void Rounds::spoil(std::string const& name) {
  auto const& plan = round_->plan;
  while (auto const state = ledger_.undamaged(name)) {
    ledger_.damaged(name, *state, plan.kind, plan.round);
    try {
      return damage(*state, plan.kind, plan.place, other_);
    } catch (std::exception const&) {
      if (std::filesystem::exists(state->data)) throw;
    }
  }
}

}  // namespace slotswap::torture
