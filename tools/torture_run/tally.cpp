#include "torture_run/tally.hpp"

#include <cstdio>

namespace slotswap::torture {
namespace {

void row(std::string const& name, Counts const& counts) {
  std::printf("  %-27s %6d %9d %10d %7d %5d %7d %7d %5d\n", name.c_str(), counts.rounds,
              counts.requests, counts.cut, counts.failed, counts.lost, counts.handed, counts.unseen,
              counts.died);
}

}  // namespace

void Counts::add(Counts const& other) {
  rounds += other.rounds;
  requests += other.requests;
  cut += other.cut;
  failed += other.failed;
  lost += other.lost;
  handed += other.handed;
  unseen += other.unseen;
  died += other.died;
}

Round& Tally::begin(Plan const& plan) {
  auto& round = rounds_[plan.round];
  round.plan = plan;
  round.what = plan.round == 0 ? "at the start" : plan.what();
  round.counts.rounds = plan.round == 0 ? 0 : 1;
  return round;
}

Counts Tally::sum() const {
  Counts all;
  for (auto const& [number, round] : rounds_) all.add(round.counts);
  return all;
}

bool Tally::clean() const {
  return sum().clean();
}

void Tally::print_line(Round const& round) {
  auto const& counts = round.counts;
  std::printf("%4d  %-60s %3d requests, %d cut, %d failed, %d lost, %d+%d handed, %d died\n",
              round.plan.round, round.what.c_str(), counts.requests, counts.cut, counts.failed,
              counts.lost, counts.handed, counts.unseen, counts.died);
  std::fflush(stdout);
}

void Tally::print_table() const {
  std::map<Kind, Counts> kinds;
  for (auto const& [number, round] : rounds_) {
    if (number > 0) kinds[round.plan.kind].add(round.counts);
  }
  std::printf("\n  %-27s %6s %9s %10s %7s %5s %7s %7s %5s\n", "", "rounds", "requests", "cut by us",
              "failed", "lost", "handed", "unseen", "died");
  for (auto const& [kind, counts] : kinds) row(name_of(kind), counts);
  row("all", sum());
}

void Tally::print() const {
  print_table();
  std::printf(
      "\n  failed: requests without an answer while both programs ran; lost: states; handed: "
      "damaged files that\n  were handed to the server, unseen: those of them that size and time "
      "cannot tell, with verify stat;\n  died: a program that was not ended by us. All but cut and "
      "unseen must be 0.\n");
  for (auto const& [number, round] : rounds_) {
    if (round.notes.empty()) continue;
    std::printf("\nround %d: %s\n", number, round.what.c_str());
    for (auto const& note : round.notes) std::printf("    %s\n", note.c_str());
  }
  std::fflush(stdout);
}

}  // namespace slotswap::torture
