// The real disk with a test's hand on it: it counts what is costly, can keep the server's files
// unreadable, and can hold a digest up.
#pragma once

#include <slotswap/store/file_system.hpp>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace slotswap::test {

class WatchedFiles : public store::FileSystem {
 public:
  std::atomic<int> digests{0};
  std::atomic<int> system_syncs{0};
  /// As files of another user with umask 077 are, or root's to a container without it.
  std::atomic<bool> unreadable{false};
  /// Each digest waits for it, where it is set; set before the proxy starts.
  std::shared_future<void> gate;

  base::Result<void> sync_file(std::string const& path) override {
    if (unreadable) return closed(path);
    return disk_->sync_file(path);
  }
  base::Result<std::string> digest(std::string const& path) override {
    if (unreadable) return closed(path);
    ++digests;
    if (gate.valid()) gate.wait();
    return disk_->digest(path);
  }
  base::Result<void> sync_file_system(std::string const& folder) override {
    ++system_syncs;
    return disk_->sync_file_system(folder);
  }

  base::Result<std::vector<std::string>> list(std::string const& folder) override {
    return disk_->list(folder);
  }
  base::Result<store::FileInfo> stat(std::string const& path) override { return disk_->stat(path); }
  base::Result<std::string> read(std::string const& path, std::uint64_t limit) override {
    return disk_->read(path, limit);
  }
  base::Result<void> write_new(std::string const& path, std::string const& text) override {
    return disk_->write_new(path, text);
  }
  base::Result<void> sync_folder(std::string const& folder) override {
    return disk_->sync_folder(folder);
  }
  base::Result<void> rename(std::string const& from, std::string const& to) override {
    return disk_->rename(from, to);
  }
  base::Result<void> remove(std::string const& path) override { return disk_->remove(path); }
  base::Result<void> make_folder(std::string const& path) override {
    return disk_->make_folder(path);
  }
  base::Result<void> replace_text(std::string const& path, std::string const& text) override {
    return disk_->replace_text(path, text);
  }
  base::Result<std::string> real_path(std::string const& path) override {
    return disk_->real_path(path);
  }
  base::Result<std::uint64_t> free_bytes(std::string const& folder) override {
    return disk_->free_bytes(folder);
  }
  base::Result<std::unique_ptr<store::FileLock>> lock(std::string const& path) override {
    return disk_->lock(path);
  }

 private:
  static base::Fault closed(std::string const& path) {
    return {base::Side::us, "unreadable", "open " + path + ": Permission denied"};
  }

  std::unique_ptr<store::FileSystem> disk_ = store::posix_file_system();
};

}  // namespace slotswap::test
