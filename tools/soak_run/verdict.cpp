#include "soak_run/verdict.hpp"

#include <algorithm>
#include <cstdio>

namespace slotswap::soak {
namespace {

constexpr double flat = 0.05;

bool has(std::string const& line, char const* part) {
  return line.find(part) != std::string::npos;
}

// Where its client left.
void count_left(std::string const& line, bool behind_slot_call, Receipts& receipts) {
  if (test::value_of(line, "status") != "499") {
    ++receipts.left_in_answer;
  } else if (!test::value_of(line, "swap_ms").empty()) {
    ++receipts.left_in_prefill;
  } else if (behind_slot_call) {
    ++receipts.left_in_swap;
  } else {
    ++receipts.left_in_line;
  }
}

void judge_receipts(Course const& course, std::vector<std::string>& found) {
  auto const& ids = course.receipts.ids;
  if (ids.size() != course.seen.asked)
    found.push_back(std::to_string(course.seen.asked) + " requests were made, " +
                    std::to_string(ids.size()) + " have a line");
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == i + 1) continue;
    found.push_back("the ids of requests are not 1 to " + std::to_string(ids.size()) + ": " +
                    std::to_string(ids[i]) + " is the " + std::to_string(i + 1) + "th");
    return;
  }
}

void judge_counts(Course const& course, std::vector<std::string>& found) {
  auto const leased = [&found](Counts const& counts, std::string const& when) {
    if (counts.free == counts.slots && counts.waiting == 0) return;
    found.push_back(when + ": " + std::to_string(counts.free) + " of " +
                    std::to_string(counts.slots) + " slots are free, " +
                    std::to_string(counts.waiting) + " requests wait");
  };
  for (auto const& counts : course.settled) leased(counts, "with no client");
  leased(course.end, "at the end");
  if (course.end.tasks > 0)
    found.push_back("at the end: " + std::to_string(course.end.tasks) + " tasks are under way");
}

void judge_memory(Course const& course, std::vector<std::string>& found) {
  auto const first = static_cast<double>(course.memory_kib.front());
  auto const last = static_cast<double>(course.memory_kib.back());
  if (last <= first * (1 + flat)) return;
  found.push_back("the memory is not flat: " + std::to_string(course.memory_kib.front()) +
                  " KiB, then " + std::to_string(course.memory_kib.back()));
}

}  // namespace

Receipts read_receipts(House const& house) {
  Receipts receipts;
  auto behind_slot_call = false;
  for (auto const& line : house.lines({"event="})) {
    auto const call = has(line, "event=save ") || has(line, "event=restore ");
    if (has(line, "event=request ")) {
      receipts.ids.push_back(std::stoul(test::value_of(line, "id")));
      auto const code = test::value_of(line, "code");
      auto const status = test::value_of(line, "status");
      if (code == "client_gone") {
        count_left(line, behind_slot_call, receipts);
      } else if (!code.empty() || status != "200") {
        ++receipts.codes[code.empty() ? status : code];
      }
      if (!test::value_of(line, "swapped").empty()) ++receipts.swaps;
    }
    behind_slot_call = call;
  }
  std::sort(receipts.ids.begin(), receipts.ids.end());
  return receipts;
}

std::vector<std::string> judge(Course const& course, bool memory) {
  std::vector<std::string> found;
  for (auto const& silent : course.seen.silent) found.push_back("no answer: " + silent);
  judge_receipts(course, found);
  judge_counts(course, found);
  if (!course.ended_in_order) found.push_back("slotswap did not end in order");
  // With several slots one is swapped while another computes.
  auto const one = course.end.slots == 1;
  if (one && course.actions_beside_work > 0)
    found.push_back(std::to_string(course.actions_beside_work) +
                    " slot calls came beside a completion");
  if (course.most_parked > 1)
    found.push_back(std::to_string(course.most_parked) + " calls were parked at the server");
  for (auto const& mistake : course.mistakes) found.push_back(mistake);
  if (memory) judge_memory(course, found);
  return found;
}

void print(Course const& course) {
  auto const& seen = course.seen;
  auto const& receipts = course.receipts;
  std::printf("%zu requests:", seen.asked);
  for (auto const& [status, count] : seen.statuses) std::printf(" %zu with %d,", count, status);
  std::printf(" %zu broken off, %zu left\n", seen.broken, seen.left);
  std::printf(
      "  left in the line %zu, in a swap at least %zu, in the prefill %zu, in the answer %zu\n",
      receipts.left_in_line, receipts.left_in_swap, receipts.left_in_prefill,
      receipts.left_in_answer);
  std::printf("  swaps %zu, faults of the server %zu; by slotswap's codes or the server's status:",
              receipts.swaps, seen.troubles);
  for (auto const& [code, count] : receipts.codes) std::printf(" %s %zu", code.c_str(), count);
  std::printf("\n");
  for (std::size_t i = 0; i < course.settled.size(); ++i) {
    auto const& counts = course.settled[i];
    std::printf("%s: memory %zu KiB, tasks %zu, slots free %zu of %zu\n",
                i == 0 ? "after a fifth" : "after all", course.memory_kib[i], counts.tasks,
                counts.free, counts.slots);
  }
  std::printf("at the end: tasks %zu, slots free %zu of %zu\n", course.end.tasks, course.end.free,
              course.end.slots);
}

}  // namespace slotswap::soak
