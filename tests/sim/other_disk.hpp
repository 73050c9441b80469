// The real disk, but for what a test changes of it. Any thread.
#pragma once

#include "sim/traces.hpp"

#include <slotswap/store/file_system.hpp>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace slotswap::test {

class OtherDisk : public store::FileSystem {
 public:
  template <class T>
  using Result = base::Result<T>;
  using Text = std::string const&;

  Result<std::vector<std::string>> list(Text folder) override { return disk_->list(folder); }
  Result<store::FileInfo> stat(Text path) override { return disk_->stat(path); }
  Result<std::string> read(Text path, std::uint64_t limit) override {
    return disk_->read(path, limit);
  }
  Result<std::string> read_head(Text path, std::size_t bytes) override {
    return disk_->read_head(path, bytes);
  }
  Result<void> write_new(Text path, Text text) override { return disk_->write_new(path, text); }
  Result<void> sync_file(Text path) override { return disk_->sync_file(path); }
  Result<void> sync_folder(Text folder) override { return disk_->sync_folder(folder); }
  Result<void> sync_file_system(Text folder) override { return disk_->sync_file_system(folder); }
  Result<void> rename(Text from, Text to) override { return disk_->rename(from, to); }
  Result<void> remove(Text path) override { return disk_->remove(path); }
  Result<void> make_folder(Text path) override { return disk_->make_folder(path); }
  Result<std::unique_ptr<store::Board>> open_board(Text path) override {
    return disk_->open_board(path);
  }
  Result<std::string> digest(Text path) override { return disk_->digest(path); }
  Result<std::string> real_path(Text path) override { return disk_->real_path(path); }
  Result<std::uint64_t> free_bytes(Text folder) override { return disk_->free_bytes(folder); }
  Result<std::unique_ptr<store::FileLock>> lock(Text path) override { return disk_->lock(path); }

 private:
  std::unique_ptr<store::FileSystem> disk_ = store::posix_file_system();
};

/// Work on a disk that waits at a chosen call until it is let go; not forever, as a test that fails
/// must end too.
class Gate {
 public:
  /// From the disk's thread.
  void pass() {
    ++reached_;
    std::unique_lock lock(mutex_);
    opened_.wait_for(lock, std::chrono::seconds(20), [this] { return open_; });
  }
  void open() {
    std::lock_guard const lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }
  bool reached(int times = 1) {
    return eventually([&] { return reached_ >= times; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
  std::atomic<int> reached_ = 0;
};

/// No data gets to the disk before the gate is open.
class SlowDisk : public OtherDisk {
 public:
  Result<void> sync_file(Text path) override {
    gate.pass();
    return OtherDisk::sync_file(path);
  }
  Gate gate;
};

}  // namespace slotswap::test
