// One round: what happens, at which instant and to whom, all of it drawn from the seed. The same
// seed and kinds give the same plans; what the machine makes of an instant is its own.
#pragma once

#include "support/raw_client.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace slotswap::torture {

using test::Milliseconds;

enum class Kind {
  proxy_killed,
  proxy_stopped,
  server_killed,
  server_stopped,
  cut_by_one,
  cut_in_half,
  flipped,
  flipped_unseen,
  gone,
  other_model,
  other_model_unseen,
  manifest_cut,
  manifest_rubbish,
  disk_full,
};

std::string name_of(Kind kind);
std::vector<Kind> all_kinds();
// Of a state's data or manifest.
bool is_damage(Kind kind);
bool is_of_manifest(Kind kind);
// Neither size nor time of change tell of it.
bool is_unseen(Kind kind);

using Batch = std::vector<std::size_t>;  // sessions that ask at once

struct Plan {
  int round = 0;
  Kind kind = Kind::proxy_killed;
  std::vector<Batch> before;  // it happens while the last of these is under way
  std::vector<Batch> after;
  Milliseconds delay{};              // from the sending of that batch
  Milliseconds down{};               // between an end and the next start
  std::vector<std::size_t> victims;  // of a damage: the first that has a saved state
  bool while_down = false;           // a damage: slotswap is killed, finds it at its start
  double place = 0;                  // of a flipped byte, of a cut: 0 to 1
  std::size_t room = 0;              // bytes that a full disk has left

  [[nodiscard]] std::string what() const;
  // Those before and after.
  [[nodiscard]] std::vector<Batch> batches() const;
};

class Plans {
 public:
  Plans(std::uint64_t seed, std::vector<Kind> kinds, std::size_t sessions);
  // As many of each kind as of any other, give or take one.
  Plan next();

 private:
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }
  Milliseconds up_to(std::size_t most);
  std::vector<std::size_t> shuffled();
  std::vector<Batch> batches(std::size_t count);
  Kind draw();

  std::mt19937_64 random_;
  std::vector<Kind> kinds_;
  std::vector<Kind> deck_;
  std::size_t sessions_;
  int round_ = 0;
};

}  // namespace slotswap::torture
