// The states of one folder in memory: which there are, when each was used last. Owned and used by
// the loop thread; no I/O.
#pragma once

#include <slotswap/store/state.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace slotswap::store {

struct Limits {
  Limits() = default;
  Limits(std::uint64_t files, std::uint64_t bytes, std::uint64_t folder)
      : max_files(files), max_bytes(bytes), max_folder(folder) {}
  std::uint64_t max_files = 0;   // of the tag; 0: none
  std::uint64_t max_bytes = 0;   // of the tag; 0: none
  std::uint64_t max_folder = 0;  // bytes of the folder over all tags; 0: none
};

/// What a prune takes away, least recently used first, and whether what stays is over a limit.
struct PrunePlan {
  std::vector<Manifest> remove;
  bool over_bytes = false;   // what is left of the tag is still over max_bytes
  bool over_folder = false;  // what is left of the folder is still over max_folder
};

class Index {
 public:
  Index() = default;
  Index(Index&&) = default;
  Index& operator=(Index&&) = default;
  Index(std::vector<Manifest> states, std::uint64_t last_generation);

  Manifest const* find(StateKey const& key) const;
  void put(Manifest manifest);
  void erase(StateKey const& key);
  /// A restored state counts as used. A clock that was set back makes no state older.
  void used(StateKey const& key, std::int64_t now_ms);

  /// A generation that was never given out in this folder: above all seen, and no smaller than the
  /// clock's microseconds, so that it is new even when the files of earlier runs are gone.
  std::uint64_t next_generation(std::int64_t now_microseconds);

  /// First the tag's limits, then the folder's. Never plans to remove a state of `keep`. Costs what
  /// it removes and keeps, not the size of the folder.
  PrunePlan plan_prune(std::string const& tag, Limits const& limits,
                       std::set<StateKey> const& keep) const;

  std::size_t size() const { return states_.size(); }
  std::uint64_t bytes() const { return all_.bytes; }

 private:
  struct LeastRecentlyUsedFirst {
    bool operator()(Manifest const* a, Manifest const* b) const;
  };
  /// States in the order they go, and their sum. They point into states_, whose nodes never move.
  struct Group {
    std::set<Manifest const*, LeastRecentlyUsedFirst> order;
    std::uint64_t bytes = 0;
  };

  void enter(Manifest const& state);
  void leave(Manifest const& state);

  std::map<StateKey, Manifest> states_;
  std::map<std::string, Group> tags_;
  Group all_;
  std::uint64_t last_generation_ = 0;
};

}  // namespace slotswap::store
