// A disk in memory that forgets at a crash what was not synced: file data unless sync_file (or
// write_new's own sync) was done, names unless sync_folder was. Fails or stops at a chosen call and
// records all. One thread. What it may forget is more than any one real file system would: POSIX
// promises no order among unsynced names.
#pragma once

#include <slotswap/store/file_system.hpp>

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <vector>

namespace slotswap::store {

enum class Crash {
  keeps_all,   // the process was killed, the machine went on
  drops_all,   // nothing that was not synced is left
  drops_some,  // any part of it, by the seed: names, and data short, as zeros or whole
};

enum class Failing {
  undone,  // EIO: the call did nothing and says it failed
  done,    // it did all and says it failed, as when an answer is lost on a network
  full,    // ENOSPC: nothing done
  denied,  // EACCES: nothing done
  half,    // a short write: half of a file was written and stays; elsewhere as undone
};

class MemoryFileSystem : public FileSystem {
 public:
  /// Thrown at the call chosen with stop_at(): from there on the program does not exist.
  struct Stopped {};

  MemoryFileSystem() = default;
  MemoryFileSystem(MemoryFileSystem&&) = default;  // a copy would share its files

  // The test's hand; none of these is recorded, fails or stops.
  void put(std::string const& path, std::string content);  // as the server writes: not synced
  void sync_all();
  void set_links(std::string const& path, std::uint64_t links) { at(path).links = links; }
  void set_irregular(std::string const& path) { at(path).regular = false; }
  void set_unreadable(std::string const& path) { at(path).readable = false; }
  void set_mtime(std::string const& path, std::int64_t ns) { at(path).mtime_ns = ns; }
  void set_free(std::uint64_t bytes) { free_ = bytes; }
  std::optional<std::string> content(std::string const& path) const;
  void crash(Crash kind, unsigned seed = 0);

  /// The n-th call from now on, counted from 0.
  void fail_at(std::size_t n, Failing how);
  void stop_at(std::size_t n);
  void work() { fail_at_.reset(), stop_at_.reset(); }
  /// "call name", in order, since the last clear; the folder's path is left out.
  std::vector<std::string> calls;

  base::Result<std::vector<std::string>> list(std::string const& folder) override;
  base::Result<FileInfo> stat(std::string const& path) override;
  base::Result<std::string> read(std::string const& path, std::uint64_t limit) override;
  base::Result<std::string> read_head(std::string const& path, std::size_t bytes) override;
  base::Result<void> write_new(std::string const& path, std::string const& text) override;
  base::Result<void> sync_file(std::string const& path) override;
  base::Result<void> sync_folder(std::string const& folder) override;
  base::Result<void> sync_file_system(std::string const& folder) override;
  base::Result<void> rename(std::string const& from, std::string const& to) override;
  base::Result<void> remove(std::string const& path) override;
  base::Result<void> make_folder(std::string const& path) override;
  base::Result<std::unique_ptr<Board>> open_board(std::string const& path) override;
  base::Result<std::string> digest(std::string const& path) override;
  base::Result<std::string> real_path(std::string const& path) override;
  base::Result<std::uint64_t> free_bytes(std::string const& folder) override;
  base::Result<std::unique_ptr<FileLock>> lock(std::string const& path) override;

 private:
  struct File {
    std::string content;
    std::optional<std::string> durable;
    std::int64_t mtime_ns = 0;
    std::uint64_t links = 1;
    bool regular = true;
    bool readable = true;
  };
  using Names = std::map<std::string, std::shared_ptr<File>>;
  /// One change of names that a crash keeps or drops as a whole; no file: the name goes.
  using Change = std::vector<std::pair<std::string, std::shared_ptr<File>>>;

  File& at(std::string const& path) { return *names_.at(path); }
  static void apply(Change const& change, Names& names);
  void change(Change change);
  static void forget(File& file, Crash kind, std::mt19937& random);
  /// The fault that this call shall return. Throws when the program ends here.
  std::optional<base::Fault> enter(std::string const& call, std::string const& path);
  bool done_all_the_same() const { return failing_ == Failing::done; }
  bool half_written() const { return failing_ == Failing::half; }
  base::Fault missing(std::string const& call, std::string const& path) const;

  Names names_;
  Names durable_names_;
  std::vector<Change> pending_;
  std::int64_t clock_ns_ = 1'000'000'000;
  std::optional<std::size_t> fail_at_;
  std::optional<std::size_t> stop_at_;
  Failing failing_ = Failing::undone;
  std::uint64_t free_ = 1ULL << 40U;
  std::set<std::string> locked_;
};

}  // namespace slotswap::store
