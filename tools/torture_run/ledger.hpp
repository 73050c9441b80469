// What was committed for each session, and which files were damaged since: the measure that answers
// and slot calls are held to. Known from outside, from the manifests.
//
// A state counts as lost when a session's answer re-used (the server's cache_n) fewer tokens than
// the manifests of that session ever said, less an allowance. A conversation only grows, so its
// committed states do too; the slot itself may hold more, never less. The allowance is the answer
// that a state ends in: what the model said may be cut into other tokens when it comes back as
// text. Manifests are read before each request and before each thing that happens, and what was
// once read counts from then on, whatever the folder shows later: a state that vanished is lost.
// Nothing is expected of a session whose file or manifest this program damaged, until a manifest
// names an undamaged file of it; nor of what was only in the slot, as no manifest had it. An answer
// during which we ended a program is not measured, as the server may have gone between the restore
// and the prompt; that session's next one is.
#pragma once

#include "torture_run/plan.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace slotswap::torture {

struct Saved {
  std::filesystem::path manifest;
  std::filesystem::path data;
  std::int64_t tokens = 0;
};

struct Damage {
  Kind kind = Kind::gone;
  int round = 0;
  std::string at;  // as the log writes times
};

class Ledger {
 public:
  explicit Ledger(std::filesystem::path folder);

  // Tokens that an answer to a request sent now has to re-use, before the allowance. Any thread.
  std::int64_t expected(std::string const& session);
  // Empty when it has none whose file is whole. Any thread.
  std::optional<Saved> undamaged(std::string const& session);
  // Before it is done.
  void damaged(std::string const& session, Saved const& state, Kind kind, int round);
  // By the name of a file; empty for one that is whole.
  std::optional<Damage> damage_of(std::string const& file);
  // Data that no manifest names.
  [[nodiscard]] std::size_t leftovers() const;

 private:
  std::optional<Saved> look(std::string const& session) const;

  std::filesystem::path folder_;
  std::mutex mutex_;
  std::map<std::string, std::int64_t> known_;  // by session
  std::map<std::string, Damage> damages_;      // by the file's name
};

// UTC, in milliseconds, as in the log: such texts compare as the times do.
std::string log_time(Milliseconds from_now = Milliseconds{0});

}  // namespace slotswap::torture
