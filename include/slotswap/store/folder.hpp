// The folder of saved states as it is on disk: scanning it, committing a save, removing what went.
// Every function blocks and may run on any thread, but two calls about one key must not overlap:
// whoever calls keeps them in order. The index (index.hpp) is what the loop thread decides with.
#pragma once

#include <slotswap/store/file_system.hpp>
#include <slotswap/store/state.hpp>

#include <string>
#include <vector>

namespace slotswap::store {

struct Scan {
  std::vector<Manifest> states;  // manifest and data there, sizes equal
  /// Data files that no manifest names. A save that is under way is among them: only those with a
  /// generation from before this run are leftovers. Never those of a session whose manifest could
  /// not be read.
  std::vector<std::string> unnamed;
  std::vector<std::string> unfinished;  // TAG_ID.json.new
  std::vector<std::string> problems;    // one sentence each: file and why it is not used
  std::uint64_t last_generation = 0;    // the highest in any name, of those that a clock can reach
};

/// Reads the whole folder; changes nothing. A fault only when the folder itself cannot be listed.
base::Result<Scan> scan(FileSystem& files, std::string const& folder);

/// Looks at a file that the server says it has saved: regular, one link, exactly `bytes` long. Sets
/// manifest.mtime_ns. Code "missing": the server writes to another folder than the one we see. Code
/// "bad_save": it is there, but not that.
base::Result<void> check_saved(FileSystem& files, std::string const& folder, Manifest& manifest);

/// After the rename nothing can fail any more, but something may be left to say.
struct Committed {
  /// Empty, or why the folder was not synced (then `replaced` stays) or `replaced` not removed.
  std::string problem;
};

/// Makes a checked save the session's state: syncs the data, writes the manifest beside it, syncs
/// the folder, renames the manifest into place, syncs the folder. `replaced` (may be empty) is
/// removed after that, never before. Also writes a new time of use: same data, nothing replaced.
/// A fault: the old state still stands and the new data may be removed. Only with code "uncertain"
/// (the rename failed and the manifest cannot be read) either may stand, and both data files must
/// stay for the next scan.
base::Result<Committed> commit(FileSystem& files, std::string const& folder,
                               Manifest const& manifest, std::string const& replaced);

/// Removes a state: the manifest first, then its data. A manifest that names other data stays.
base::Result<void> remove_state(FileSystem& files, std::string const& folder,
                                Manifest const& manifest);

}  // namespace slotswap::store
