// The saved states as they are on disk: listing them, committing a save, looking at one before it
// is handed to a server, setting a bad one aside, removing what went (docs/state-format.md).
// Every function blocks and may run on any thread, but two calls about one key must not overlap:
// whoever calls keeps them in order. The index (index.hpp) is what the loop thread decides with.
#pragma once

#include <slotswap/store/file_system.hpp>
#include <slotswap/store/state.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slotswap::store {

/// Where the server's files are as this process sees them, and where ours are; mostly one folder.
struct Folders {
  Folders() = default;
  Folders(std::string data_, std::string state_)
      : data(std::move(data_)), state(std::move(state_)) {}
  bool visible() const { return !data.empty(); }
  std::string data;   // empty: not visible here
  std::string state;  // manifests, the lock, what each slot holds
};

using Locks = std::vector<std::unique_ptr<FileLock>>;
/// Takes both folders for one slotswap; all or none. Code "held": another one has one of them.
base::Result<Locks> lock(FileSystem& files, Folders const& folders);

struct Scan {
  /// States whose one data file and manifest stand side by side: known by names, sizes and times
  /// alone, their manifests unread.
  std::vector<Listed> listed;
  /// States whose manifest had to be read to know which data it names.
  std::vector<Manifest> states;
  /// Data files that no manifest names. A save that is under way is among them: only those with a
  /// generation from before this run are leftovers. Never those of a session whose manifest could
  /// not be read.
  std::vector<std::string> unnamed;
  std::vector<std::string> unfinished;  // TAG_ID.json.new
  std::vector<std::string> problems;    // one sentence each: file and why it is not used
  std::uint64_t last_generation = 0;    // the highest in any name, of those that a clock can reach
};

/// Lists the whole folder; changes nothing. A fault only when a folder itself cannot be listed.
base::Result<Scan> scan(FileSystem& files, Folders const& folders);

/// Looks at a file that the server says it has saved: regular, one link, exactly `bytes` long. Sets
/// manifest.mtime_ns. Code "missing": the server writes to another folder than the one we see. Code
/// "bad_save": it is there, but not that.
base::Result<void> check_saved(FileSystem& files, Folders const& folders, Manifest& manifest);

/// After the rename nothing can fail any more, but something may be left to say.
struct Committed {
  /// Empty, or why the folder was not synced (then what was replaced stays) or that not removed.
  std::string problem;
  std::optional<std::string> checksum;  // taken; none: not asked for, or the data is not readable
  bool unreadable = false;  // the server's umask keeps its files from us: synced all the same
};

/// Makes a checked save the session's state: syncs the data, takes its checksum where asked for,
/// writes the manifest, syncs the folders, renames the manifest into place, syncs its folder. The
/// data files in `replaced` are removed after that, never before.
/// A fault: the old state still stands and the new data may be removed. Only with code "uncertain"
/// (the rename failed and the manifest cannot be read) either may stand, and all data files must
/// stay for the next scan.
base::Result<Committed> commit(FileSystem& files, Folders const& folders, Manifest manifest,
                               std::vector<std::string> const& replaced, bool with_checksum);

/// Whether the manifest in its place is of this very save.
bool is_committed(FileSystem& files, Folders const& folders, Manifest const& manifest);

/// Writes a manifest again whose data has not changed: a time of use, a refusal. The checksum of
/// the one in its place stays where this one has none.
base::Result<Committed> rewrite(FileSystem& files, Folders const& folders,
                                Manifest const& manifest);

/// What a state is found to be before it is handed to a server.
struct Look {
  enum class Verdict {
    good,
    gone,     // no manifest, or no data: a miss
    changed,  // whose data it is now cannot be told: a miss, and it stays
    damaged,  // not what was saved: into quarantine
  };
  Verdict verdict = Verdict::gone;
  Manifest manifest;   // as read; its mtime_ns is the file's where the checksum proved the bytes
  std::string reason;  // in words; empty: good, or nothing worth a word
};

/// Reads the manifest where it is not known, and checks the data: by size and time of change, or
/// with `with_checksum` by its bytes where a checksum was noted. A backup that was put back has
/// another time: its checksum decides, and without one it counts as changed.
Look look_before_restore(FileSystem& files, Folders const& folders, StateKey const& key,
                         std::optional<Manifest> const& known, bool with_checksum);

inline constexpr std::size_t quarantine_keeps = 4;
/// Sets a state aside into quarantine/ beside its data: a manifest there says why; then it is a
/// state no more; then its data is moved. Only the last few stay.
base::Result<void> quarantine(FileSystem& files, Folders const& folders, Manifest const& manifest,
                              std::string const& reason);

/// Removes a state: the manifest first, then its data. A manifest that names other data stays.
base::Result<void> remove_state(FileSystem& files, Folders const& folders,
                                Manifest const& manifest);

/// TAG_ID.bin files of this tag, as others that save slots name theirs; by the name's order.
base::Result<std::vector<StateKey>> foreign_files(FileSystem& files, Folders const& folders,
                                                  std::string const& tag);

/// How many tokens a llama-server's slot file says it holds (docs/llama-server.md, "The slot
/// file"). Code "bad_save": not a file of the form known here.
base::Result<std::int64_t> tokens_of(FileSystem& files, std::string const& path);

/// Makes another's TAG_ID.bin the state that `manifest` describes; its bytes, time and checksum are
/// filled in here. The manifest is in place before the file gets its name, so that a crash leaves
/// the file under one of both. Code "exists": the session has a state of ours already.
base::Result<Manifest> adopt(FileSystem& files, Folders const& folders, StateKey const& foreign,
                             Manifest manifest, bool with_checksum);

/// Removes every file of a session, of this tag or (empty) of any, whatever its manifests say, and
/// what was set aside of it. How many files that were.
base::Result<std::size_t> remove_session(FileSystem& files, Folders const& folders,
                                         std::string const& id, std::string const& tag);

/// Removes a data file that an earlier run left without a manifest, unless one names it now.
base::Result<void> remove_leftover(FileSystem& files, Folders const& folders,
                                   std::string const& name);

}  // namespace slotswap::store
