// The saved states of one folder, for all servers and routes that save there: which there are, what
// a new one is called, publishing it beside the requests, looking at it before a restore, pruning.
// Owns the folder's lock, the index and the order of the work on disk. Loop thread.
#pragma once

#include <slotswap/base/fault.hpp>
#include <slotswap/net/loop.hpp>
#include <slotswap/store/file_system.hpp>
#include <slotswap/store/folder.hpp>
#include <slotswap/store/index.hpp>
#include <slotswap/swap/book_keeper.hpp>
#include <slotswap/swap/disk_queue.hpp>
#include <slotswap/swap/fit.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slotswap::swap {

/// How a route wants its states kept.
struct Keeping {
  Keeping() = default;
  store::Limits limits;
  base::Duration max_age{};        // 0: none
  std::uint64_t min_free = 0;      // bytes of the disk that stay free
  bool with_checksum = false;      // take one at publish, ask for it before a restore
  bool replace_when_full = false;  // save over the old state where there is no room beside it
};

/// A save that the server says it has done.
struct Written {
  Written() = default;
  store::StateKey key;
  std::string file;
  std::string model;
  std::string fingerprint;
  std::string prompt_digest;
  std::int64_t tokens = 0;
  std::uint64_t bytes = 0;
};

class Vault {
 public:
  /// `servers`: how many save into this folder.
  Vault(net::Loop& loop, net::TaskGroup& tasks, std::shared_ptr<store::FileSystem> files,
        store::Folders folders, std::size_t servers);

  /// Takes the folder: one slotswap at a time. Code "held": another one has it.
  base::Result<void> lock();
  /// Begins to read what earlier runs left, beside the requests. Once, and after lock().
  void open();
  bool usable() const { return opened_; }

  bool visible() const { return folders_.visible(); }
  std::string const& folder() const { return visible() ? folders_.data : folders_.state; }

  /// Sessions whose states are never pruned.
  void pin(std::string const& id) { pinned_.insert(id); }
  /// A tag that is served now: its states are kept so from now on.
  void keep(std::string const& tag, Keeping const& keeping);

  /// Why no state is offered, as far as that is known without a look; none: one is there, or may
  /// be.
  std::optional<std::string> misfit(store::StateKey const& key, Fit const& fit) const;
  bool offers(store::StateKey const& key, Fit const& fit) const;
  struct Offer {
    std::optional<store::Manifest> state;
    std::string reason;  // why there is none
  };
  /// Looks at the session's state on disk; what comes may be handed to the server now.
  net::awaitable<Offer> look(store::StateKey key, Fit fit, bool with_checksum);

  /// Where a save of about `tokens` goes: a name that no file of this folder ever had. Removes the
  /// least recently used states where the disk is too full. Empty: there is no room, which is said.
  net::awaitable<std::string> place_for(store::StateKey key, std::int64_t tokens, Keeping keeping,
                                        std::set<store::StateKey> keep);
  /// A save that failed or was given up may still be written to: its name is never used again.
  void burn(std::string const& name);
  /// A state that is restored next.
  struct Next {
    Next() = default;
    store::StateKey key;
    Fit fit;
    bool with_checksum = false;
  };
  /// Makes it the session's state, looked at first; what it replaces goes, and what is over the
  /// limits. A fault: the older state stands. What comes next is looked at on the same trip.
  net::awaitable<base::Result<void>> publish(Written written, Keeping keeping,
                                             std::optional<Next> next);

  /// While one lives a swap is under way: work on disk waits.
  class Quiet {
   public:
    explicit Quiet(Vault& vault) : vault_(vault), quiet_(vault.disk_) {}
    ~Quiet() { vault_.looked_at_.clear(); }
    Quiet(Quiet const&) = delete;
    Quiet& operator=(Quiet const&) = delete;

   private:
    Vault& vault_;
    DiskQueue::Quiet quiet_;
  };
  /// While one lives the state is not pruned: a server is reading it.
  class Hold {
   public:
    Hold(Vault& vault, store::StateKey key) : vault_(vault), key_(std::move(key)) {
      vault_.held_.insert(key_);
    }
    ~Hold() { vault_.held_.erase(vault_.held_.find(key_)); }
    Hold(Hold const&) = delete;
    Hold& operator=(Hold const&) = delete;

   private:
    Vault& vault_;
    store::StateKey key_;
  };

  /// It was restored.
  void used(store::StateKey const& key);
  /// The server answered that it would not take it; it is offered to another start of it.
  void refused(store::StateKey const& key, Fit const& fit);
  /// Something else came out of it than was saved.
  void set_aside(store::StateKey const& key, std::string const& reason);
  /// The server went away while it restored it (docs/decisions/0007-a-death-in-a-restore.md).
  void deadly(store::StateKey const& key);
  /// Nothing came back in time: once may be chance.
  void silent(store::StateKey const& key);
  /// Removes all that is saved of a session, under this tag or (empty) all, and waits until it is
  /// gone from the disk; whether there was any.
  net::awaitable<base::Result<bool>> forget(std::string id, std::string tag);
  /// A save that came too late.
  void remove_late(store::StateKey const& key);

  /// A server answered a slot call: no save of an earlier run is under way there any more.
  void answered(std::string const& server);
  /// Whether saves that no switch needs still fit into the day's allowance.
  bool may_write(std::uint64_t max_write_bytes) const;
  /// Ends what runs on its own.
  void close();
  /// Writes down the times of use that are not in the manifests yet, and waits for the disk.
  net::awaitable<void> finish();

  BookKeeper& book() { return book_; }
  BookKeeper const& book() const { return book_; }
  std::shared_ptr<store::FileSystem> const& files() const { return files_; }

 private:
  // vault.cpp
  net::awaitable<void> fill();
  net::awaitable<void> filled();
  net::awaitable<void> take_over(store::Scan scan);
  void replaced_meanwhile(store::StateKey const& key, std::string const& data);
  net::awaitable<void> watch_age();
  void sweep();
  void remove_leftovers();
  void commit_left_saves();
  void rewrite(std::string const& why, store::Manifest const& manifest);
  void discard(std::string const& name);
  void drop(store::Manifest const& state);
  // vault_publish.cpp
  net::awaitable<std::string> fresh_name(store::StateKey key);
  std::string unseen_name(store::StateKey const& key) const;
  net::awaitable<std::optional<std::uint64_t>> free_now();
  net::awaitable<bool> make_room(std::uint64_t missing, std::set<store::StateKey> keep);
  std::uint64_t estimate(store::StateKey const& key, std::int64_t tokens) const;
  net::awaitable<base::Result<store::Manifest>> check(store::Manifest manifest,
                                                      std::optional<Next> next);
  void blind(std::string const& file);
  void commit(store::Manifest const& manifest, std::optional<store::Manifest> before,
              bool with_checksum);
  void committed(store::Manifest const& manifest, std::vector<std::string> const& replaced,
                 base::Result<store::Committed> const& done);
  bool take_from_beside(store::StateKey const& key, std::string const& data);
  void commit_failed(store::Manifest const& manifest, std::optional<store::Manifest> const& before);
  void prune(std::string const& tag, Keeping const& keeping, std::set<store::StateKey> keep);
  void protect(std::set<store::StateKey>& keep) const;
  void remove(store::Manifest const& state, std::string const& why);
  // vault_look.cpp
  std::optional<store::Manifest> read_manifest(store::StateKey const& key) const;
  Offer judge(store::StateKey const& key, store::Look const& look, Fit const& fit);
  void quarantine(store::Manifest const& state, std::string const& reason);

  net::Loop& loop_;
  net::TaskGroup& tasks_;
  std::shared_ptr<store::FileSystem> files_;
  store::Folders folders_;
  std::size_t servers_;
  DiskQueue disk_;
  BookKeeper book_;
  store::Locks locks_;
  bool opened_ = false;
  bool filled_ = false;
  std::set<net::Signal*> waiting_for_fill_;
  bool seen_ = false;  // a file that the server wrote in this run was found here

  store::Index index_;
  std::uint64_t first_generation_ = 0;   // of this run: what is below it was left by another
  std::set<store::StateKey> gone_;       // removed while the index was filling
  std::set<store::StateKey> unsettled_;  // the disk is at work for their next look
  std::vector<std::string> leftovers_;
  std::set<std::string> answered_;  // servers

  std::set<std::string> pinned_;
  std::map<std::string, Keeping> kept_;               // by tag
  std::map<std::string, double> rate_;                // bytes a token, by tag
  std::set<std::string> burned_;                      // without a visible folder
  std::set<std::string> distrusted_;                  // data files that are not offered
  std::set<std::string> suspected_;                   // that one server died with
  std::map<std::string, store::Manifest> looked_at_;  // states that are restored next, by data
  std::map<store::StateKey, std::int64_t> written_use_;
  struct Beside {
    std::string data;
    std::uint64_t bytes;
  };
  std::map<store::StateKey, std::vector<Beside>> beside_;  // data that the next commit removes
  std::multiset<store::StateKey> held_;

  std::optional<std::uint64_t> free_;  // of the disk, when it was last asked, less what was saved
  base::TimePoint free_at_{};
  std::deque<std::pair<base::TimePoint, std::uint64_t>> writes_;  // of the last day
  std::uint64_t quarantined_ = 0;
  bool said_full_ = false;
  bool said_unreadable_ = false;
  net::Signal ended_;
};

}  // namespace slotswap::swap
