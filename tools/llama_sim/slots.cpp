#include "llama_sim/slots.hpp"

#include <algorithm>

namespace slotswap::llama_sim {

Slots::Slots(net::Loop& loop, int count, base::Duration check_period, Book& book)
    : loop_(loop), check_period_(check_period), book_(book) {
  for (int id = 0; id < count; ++id) {
    slots_.push_back(std::make_unique<SimSlot>());
    slots_.back()->id = id;
  }
}

net::awaitable<bool> Slots::take(SimSlot& slot, std::function<bool()> gone) {
  co_await main_loop_free(slot);
  if (!slot.busy) {
    slot.busy = true;
    co_return true;
  }
  Parked parked(slot, loop_);
  parked_.push_back(&parked);
  book_.most_parked = std::max<std::uint64_t>(book_.most_parked, parked_.size());
  while (!parked.granted) {
    auto const woken = co_await parked.signal.wait_until(loop_.now() + check_period_);
    if (woken) continue;
    if (!gone()) continue;
    std::erase(parked_, &parked);
    co_return false;
  }
  co_return true;
}

net::awaitable<void> Slots::main_loop_free(SimSlot& slot) {
  while (slot.acting) {
    net::Signal later(loop_);
    co_await later.wait_until(loop_.now() + check_period_ / 100);
  }
}

void Slots::release(SimSlot& slot, bool completion) {
  slot.busy = slot.acting = false;
  slot.processed = slot.cached = 0;
  if (!completion) return;
  auto const next = std::find_if(parked_.begin(), parked_.end(),
                                 [&](Parked* parked) { return &parked->slot == &slot; });
  if (next == parked_.end()) return;
  auto* const parked = *next;
  parked_.erase(next);
  slot.busy = true;
  parked->granted = true;
  parked->signal.notify();
}

SimSlot& Slots::by_id(std::int64_t id) {
  auto const count = static_cast<std::int64_t>(slots_.size());
  return *slots_[static_cast<std::size_t>(((id % count) + count) % count)];
}

SimSlot& Slots::choose(std::int64_t wanted, Tokens const& prompt) {
  if (wanted >= 0) return by_id(wanted);
  auto const shared = [&](auto const& slot) { return common_prefix(slot->tokens, prompt); };
  auto best = slots_.begin();
  for (auto slot = slots_.begin(); slot != slots_.end(); ++slot) {
    if (shared(*slot) > shared(*best)) best = slot;
  }
  return **best;
}

bool Slots::any_busy() const {
  return std::any_of(slots_.begin(), slots_.end(), [](auto const& slot) { return slot->busy; });
}

void Slots::forget() {
  for (auto const& slot : slots_) {
    slot->tokens.clear();
    slot->task.reset();
  }
}

}  // namespace slotswap::llama_sim
