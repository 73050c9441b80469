// What a simulated server has seen, for tests to assert on. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace slotswap::llama_sim {

struct Call {
  std::string method;
  std::string target;
  std::string file;     // of a slot action
  std::string session;  // the X-Session-ID field, when the client's came through
  std::string model;    // of a router: the id that the call's name stands for
};

struct Book {
  std::vector<Call> calls;  // in the order of their arrival
  std::uint64_t completions_started = 0;
  std::uint64_t completions_finished = 0;
  std::uint64_t completions_cancelled = 0;
  /// Slot actions that came while a completion ran or waited: a proxy that holds its lease never
  /// makes one.
  std::uint64_t actions_beside_work = 0;
  std::uint64_t most_parked = 0;
  std::uint64_t wakes = 0;
  std::uint64_t crashes = 0;
  /// Of a router, the ids in order: what was started for whatever reason, what was ended by request
  /// and what by the router's own choice.
  std::vector<std::string> loads;
  std::vector<std::string> unloads;
  std::vector<std::string> evictions;

  std::size_t count(std::string const& method, std::string const& target_begin) const {
    std::size_t found = 0;
    for (auto const& call : calls) {
      if (call.method == method && call.target.rfind(target_begin, 0) == 0) ++found;
    }
    return found;
  }
};

}  // namespace slotswap::llama_sim
