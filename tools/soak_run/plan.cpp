#include "soak_run/plan.hpp"

#include <array>
#include <cmath>

namespace slotswap::soak {
namespace {

using llama_sim::Fault;

constexpr int sessions = 10;
constexpr int keys = 4;
// A crowd and a calm by turns: a line must grow, and go.
constexpr int phase = 100;
constexpr double crowded_us = 9'000;  // between arrivals, in the mean
constexpr double calm_us = 50'000;
constexpr int long_prompt = 7'000;  // words: over 64 KiB, which is read beside the loop
constexpr int longest_stay = 60;    // ms

// Those of a single server.
constexpr std::array faults{Fault::save_error,      Fault::save_short,     Fault::save_empty,
                            Fault::save_hangs,      Fault::restore_error,  Fault::restore_hangs,
                            Fault::restore_dies,    Fault::props_error,    Fault::slots_error,
                            Fault::slots_hang,      Fault::loading,        Fault::drop_request,
                            Fault::drop_kept,       Fault::drop_answer,    Fault::half_event,
                            Fault::inference_error, Fault::double_framing, Fault::swallow};

}  // namespace

std::chrono::microseconds Plans::gap() {
  auto const crowded = number_ / phase % 2 == 1;
  auto const even = static_cast<double>(below(1'000'000) + 1) / 1'000'000;
  auto const mean = crowded ? crowded_us : calm_us;
  return std::chrono::microseconds(static_cast<std::int64_t>(-std::log(even) * mean));
}

void Plans::draw_leave(Plan& plan) {
  auto const drawn = below(100);
  if (drawn < 25) {
    plan.leaves = Leaves::waiting;
    plan.stays = Milliseconds{drawn < 5 ? 0 : below(longest_stay)};
  } else if (drawn < 40 && plan.stream) {
    plan.leaves = Leaves::in_answer;
    plan.stays = Milliseconds{below(longest_stay / 4)};
  }
}

std::optional<Trouble> Plans::trouble() {
  if (!in_hundred(4)) return std::nullopt;
  auto const drawn = static_cast<std::size_t>(below(static_cast<int>(faults.size()) + 1));
  Trouble trouble;
  if (drawn < faults.size()) trouble.fault = faults[drawn];
  return trouble;
}

Plan Plans::next() {
  Plan plan;
  plan.gap = gap();
  plan.number = ++number_;
  auto const kind = below(100);
  if (kind < 3) {
    plan.asks = Asks::models;
  } else if (kind < 6) {
    plan.asks = Asks::tokens;
  }
  if (!in_hundred(4)) plan.session = "session" + std::to_string(below(sessions)) + "x";
  plan.key = "key" + std::to_string(below(keys));
  plan.words = in_hundred(1) ? long_prompt : 20 + below(150);
  plan.tokens = 2 + below(15);
  plan.stream = in_hundred(60);
  if (plan.asks == Asks::chat) draw_leave(plan);
  plan.trouble = trouble();
  return plan;
}

}  // namespace slotswap::soak
