// The states of one folder in memory: which there are, when each was used last. Owned and used by
// the loop thread; no I/O. At most 500 bytes a state (tests/store/index_size_test.cpp counts them).
#pragma once

#include <slotswap/store/state.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
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
  std::int64_t oldest = 0;       // of the tag: what was not used since (ms since the epoch) goes
  std::uint64_t make_room = 0;   // bytes of the folder that have to go, whatever else holds
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

  /// As far as it is known: of a state that was only listed, its key, data, bytes and last use.
  std::optional<Manifest> find(StateKey const& key) const;
  bool has(StateKey const& key) const { return entry_of(key) != nullptr; }
  /// Whether its manifest is known, not only its names and sizes.
  bool is_read(StateKey const& key) const;
  /// The tags under which this id has a state.
  std::vector<std::string> tags_of(std::string const& id) const;

  void put(Manifest const& manifest);
  /// What a listing of the folder found; what is known already stays as it is.
  void put_listed(Listed const& listed);
  void erase(StateKey const& key);
  /// A restored state counts as used. A clock that was set back makes no state older.
  void used(StateKey const& key, std::int64_t now_ms);

  /// A generation that was never given out in this folder: above all seen, and no smaller than the
  /// clock's microseconds, so that it is new even when the files of earlier runs are gone.
  std::uint64_t next_generation(std::int64_t now_microseconds);
  void seen_generation(std::uint64_t generation);

  /// Data of the tag that is on disk beside its states: what a commit under way replaces. It counts
  /// in the limits of bytes.
  void add_beside(std::string const& tag, std::uint64_t bytes);
  void take_beside(std::string const& tag, std::uint64_t bytes);

  /// First the tag's limits, then the folder's. Never plans to remove a state of `keep`. Costs what
  /// it removes and keeps, not the size of the folder.
  PrunePlan plan_prune(std::string const& tag, Limits const& limits,
                       std::set<StateKey> const& keep) const;

  std::size_t size() const { return entries_.size(); }
  std::uint64_t bytes() const { return all_.bytes; }

 private:
  using Text = std::uint32_t;  // a text that many states share
  using Id = std::array<unsigned char, 16>;
  struct Key {
    auto operator<=>(Key const&) const = default;
    Text tag = 0;
    Id id{};
  };
  struct Entry {
    Key key;
    std::uint64_t generation = 0;
    std::uint64_t bytes = 0;
    std::int64_t last_used = 0;
    std::int64_t saved = 0;
    std::int64_t created = 0;
    std::int64_t mtime_ns = 0;
    std::int64_t tokens = 0;
    std::uint64_t uses = 0;
    std::uint64_t prompt_digest = 0;
    Id checksum{};
    Text model = 0;
    Text fingerprint = 0;
    Text refused_by = 0;
    bool read = false;
    bool has_checksum = false;
    bool has_digest = false;
  };
  struct LeastRecentlyUsedFirst {
    bool operator()(Entry const* a, Entry const* b) const;
  };
  /// States in the order they go, and their sum. They point into entries_, whose nodes never move.
  struct Group {
    std::set<Entry const*, LeastRecentlyUsedFirst> order;
    std::uint64_t bytes = 0;
    std::uint64_t beside = 0;
  };
  /// Texts by number, for as long as the index lives: tags, models and servers are few.
  class Texts {
   public:
    Text number(std::string const& text);
    std::optional<Text> find(std::string const& text) const;
    std::string const& text(Text number) const { return *by_number_[number]; }

   private:
    std::map<std::string, Text> numbers_;
    std::vector<std::string const*> by_number_;
  };

  Entry const* entry_of(StateKey const& key) const;
  Entry& entry_for(StateKey const& key);
  std::optional<Key> packed(StateKey const& key) const;
  StateKey key_of(Entry const& entry) const;
  Manifest manifest_of(Entry const& entry) const;
  void enter(Entry const& entry);
  void leave(Entry const& entry);

  Texts texts_;
  std::map<Key, Entry> entries_;
  std::map<Text, Group> tags_;
  Group all_;
  std::uint64_t last_generation_ = 0;
};

}  // namespace slotswap::store
