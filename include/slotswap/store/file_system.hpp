// All disk access of the store, so that a test can stand in for the disk and drop what was not
// synced. Calls block; any thread. Failures are faults that name the call, the file and errno's
// text: code "missing" where there is no such file, "full" where the disk has no room, else "disk".
#pragma once

#include <slotswap/base/fault.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace slotswap::store {

struct FileInfo {
  std::uint64_t bytes = 0;
  std::int64_t mtime_ns = 0;
  std::uint64_t links = 0;
  bool regular = false;
};

/// Held until it is destroyed, or the process ends.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

/// A text that changes often, in a small file of ours. Written in place and not synced, as making
/// and renaming a file would wait for the disk (docs/performance.md): a kill of this process leaves
/// the old or the new text, a crash of the machine may leave neither.
class Board {
 public:
  virtual ~Board() = default;
  /// Empty where nothing was written yet. A file that is plain text is that text.
  virtual base::Result<std::string> read() = 0;
  virtual base::Result<void> write(std::string const& text) = 0;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  /// Names in a folder, without . and ..; any order.
  virtual base::Result<std::vector<std::string>> list(std::string const& folder) = 0;
  /// Without following a link.
  virtual base::Result<FileInfo> stat(std::string const& path) = 0;
  /// A whole small file, without following a link; one over `limit` bytes is a fault.
  virtual base::Result<std::string> read(std::string const& path, std::uint64_t limit) = 0;
  /// The first bytes of a file, at most `bytes`, without following a link.
  virtual base::Result<std::string> read_head(std::string const& path, std::size_t bytes) = 0;
  /// Creates a file that must not exist (O_EXCL, mode 0600), writes it and syncs it; none is left
  /// on a fault.
  virtual base::Result<void> write_new(std::string const& path, std::string const& text) = 0;
  /// Opens read-only without following links and syncs the file's data; code "unreadable" when it
  /// may not be opened.
  virtual base::Result<void> sync_file(std::string const& path) = 0;
  /// The names in a folder: what was created, renamed or removed there.
  virtual base::Result<void> sync_folder(std::string const& folder) = 0;
  /// Everything on the file system that holds the folder: for a file that may not be opened.
  virtual base::Result<void> sync_file_system(std::string const& folder) = 0;
  virtual base::Result<void> rename(std::string const& from, std::string const& to) = 0;
  /// Absent already is success.
  virtual base::Result<void> remove(std::string const& path) = 0;
  /// Creates a folder for this user alone (mode 0700); one that is there already is success.
  virtual base::Result<void> make_folder(std::string const& path) = 0;
  /// Opens a board, which is created (mode 0600) where there is none.
  virtual base::Result<std::unique_ptr<Board>> open_board(std::string const& path) = 0;
  /// XXH3 (128 bits) of a file's bytes as 32 hex digits, without following a link; code
  /// "unreadable" when it may not be opened.
  virtual base::Result<std::string> digest(std::string const& path) = 0;
  /// The file that a path leads to, through all links.
  virtual base::Result<std::string> real_path(std::string const& path) = 0;
  /// What this user may still write to the file system that holds the folder, in bytes.
  virtual base::Result<std::uint64_t> free_bytes(std::string const& folder) = 0;
  /// Takes the one lock that goes with a file (flock), which is created for it; does not wait. Code
  /// "held": somebody else has it.
  virtual base::Result<std::unique_ptr<FileLock>> lock(std::string const& path) = 0;
};

std::unique_ptr<FileSystem> posix_file_system();

}  // namespace slotswap::store
