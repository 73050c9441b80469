// What is done to files: a committed state's data or manifest, and a disk that fills up.
#pragma once

#include "support/real_server.hpp"
#include "torture_run/ledger.hpp"

#include <filesystem>
#include <string>

namespace slotswap::torture {

// A server with the same shape and other weights, whose states the first one takes for its own.
class OtherModel {
 public:
  OtherModel();
  // A state of the same tokens, so of the same size.
  std::string state_like(std::filesystem::path const& data);

 private:
  test::RealServer server_;
};

// place: 0 to 1, where in the file.
void damage(Saved const& state, Kind kind, double place, OtherModel& other);

// A small file system of its own, seen by this process and its children only, so that nothing of it
// outlives them.
class SmallDisk {
 public:
  // why_not: it is not wanted.
  explicit SmallDisk(std::filesystem::path folder, std::string why_not = "");
  ~SmallDisk();
  SmallDisk(SmallDisk const&) = delete;
  SmallDisk& operator=(SmallDisk const&) = delete;

  // Empty when it is there, else why not; then the folder is one as any other.
  [[nodiscard]] std::string const& why_not() const { return why_not_; }
  void fill(std::size_t but) const;
  void free() const;

 private:
  std::filesystem::path folder_;
  std::filesystem::path filler_;
  std::string why_not_;
};

}  // namespace slotswap::torture
