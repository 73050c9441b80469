// The real disk with a test's hand on it: it counts what is costly, can keep the server's files
// unreadable, and can hold a digest up.
#pragma once

#include "sim/other_disk.hpp"

#include <atomic>
#include <future>
#include <string>

namespace slotswap::test {

class WatchedFiles : public OtherDisk {
 public:
  std::atomic<int> digests{0};
  std::atomic<int> system_syncs{0};
  /// As files of another user with umask 077 are, or root's to a container without it.
  std::atomic<bool> unreadable{false};
  /// Each digest waits for it, where it is set; set before the proxy starts.
  std::shared_future<void> gate;

  base::Result<void> sync_file(std::string const& path) override {
    if (unreadable) return closed(path);
    return OtherDisk::sync_file(path);
  }
  base::Result<std::string> digest(std::string const& path) override {
    if (unreadable) return closed(path);
    ++digests;
    if (gate.valid()) gate.wait();
    return OtherDisk::digest(path);
  }
  base::Result<void> sync_file_system(std::string const& folder) override {
    ++system_syncs;
    return OtherDisk::sync_file_system(folder);
  }

 private:
  static base::Fault closed(std::string const& path) {
    return {base::Side::us, "unreadable", "open " + path + ": Permission denied"};
  }
};

}  // namespace slotswap::test
