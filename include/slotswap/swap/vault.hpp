// The saved states of one folder, for all servers and routes that save there: which there are, what
// a new one is called, publishing it beside the requests, pruning. Owns the index and the order of
// the work on disk. Loop thread.
#pragma once

#include <slotswap/base/fault.hpp>
#include <slotswap/net/loop.hpp>
#include <slotswap/store/file_system.hpp>
#include <slotswap/store/folder.hpp>
#include <slotswap/store/index.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace slotswap::swap {

/// A save that the server says it has done.
struct Written {
  Written() = default;
  store::StateKey key;
  std::string file;
  std::string model;
  std::int64_t tokens = 0;
  std::uint64_t bytes = 0;
};

class Vault {
 public:
  /// `folder` empty: it is not visible here. Then states are known in memory only, and nothing is
  /// ever deleted.
  Vault(net::Loop& loop, net::TaskGroup& tasks, std::shared_ptr<store::FileSystem> files,
        std::string folder);

  /// Reads what earlier runs left. Blocks: called before the loop runs.
  base::Result<void> open();

  bool visible() const { return visible_; }
  std::string const& folder() const { return folder_; }
  /// The session's state, if it may be restored.
  store::Manifest const* find(store::StateKey const& key) const {
    auto const* state = index_.find(key);
    return state != nullptr && distrusted_.count(state->data) == 0 ? state : nullptr;
  }

  /// A name that no file of this folder ever had (without a folder: one that holds no good state).
  std::string new_name(store::StateKey const& key);
  /// A save that failed or was given up may still be written to: its name is never used again.
  void burn(std::string const& name);
  /// Makes it the session's state, looked at first; what it replaces goes, and what is over the
  /// limits. A fault: the older state stands. `keep`: what is restored next is looked at as well.
  net::awaitable<base::Result<void>> publish(Written written, store::Limits limits,
                                             std::set<store::StateKey> keep);
  /// Looks at the state's file before a restore: a missing or changed one is never offered to the
  /// server.
  net::awaitable<bool> still_there(store::StateKey key);
  /// Not offered to a server again, but still counted, and replaced by the session's next save.
  void distrust(std::string const& file) { distrusted_.insert(file); }
  /// Its restore got no answer. Once may be chance (somebody stopped the server); a file that does
  /// it twice may be what kills the server.
  void suspect(std::string const& file) {
    if (!suspected_.insert(file).second) distrust(file);
  }
  /// While one lives, work on disk waits for a while: writing through to the disk would slow the
  /// slot calls of a swap down (measured: docs/performance.md).
  class Quiet {
   public:
    explicit Quiet(Vault& vault) : vault_(vault) { ++vault_.swaps_; }
    ~Quiet() {
      vault_.looked_at_.clear();
      if (--vault_.swaps_ == 0) vault_.no_swaps_.notify();
    }
    Quiet(Quiet const&) = delete;
    Quiet& operator=(Quiet const&) = delete;

   private:
    Vault& vault_;
  };
  /// It was restored.
  void used(store::StateKey const& key);

 private:
  using Job = std::function<std::string()>;  // returns what went wrong, or nothing
  void enqueue(std::string what, Job job);
  net::awaitable<void> work();
  net::awaitable<void> wait_for_quiet();
  void prune(std::string const& tag, store::Limits const& limits,
             std::set<store::StateKey> const& keep);
  std::string unseen_name(store::StateKey const& key) const;
  void discard(std::string const& name);

  net::Loop& loop_;
  net::TaskGroup& tasks_;
  std::shared_ptr<store::FileSystem> files_;
  std::string folder_;
  bool visible_;
  bool seen_ = false;  // a file that the server wrote in this run was found here
  store::Index index_;
  std::set<std::string> burned_;
  std::set<std::string> distrusted_;
  std::set<std::string> suspected_;
  std::map<store::StateKey, std::int64_t> written_use_;
  std::deque<std::pair<std::string, Job>> jobs_;
  std::set<std::string> looked_at_;  // files of states that are restored next
  bool working_ = false;
  int swaps_ = 0;
  net::Signal no_swaps_;
};

}  // namespace slotswap::swap
