// The real program as a child of the test: `slotswap serve` with a configuration of its own, on a
// port that the system chose, its log read back from a file.
#pragma once

#include "support/child_process.hpp"
#include "support/temp_dir.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slotswap::test {

// One run of the program to its end: what it printed, and its exit code (none when it was killed).
struct Finished {
  std::optional<int> exit_code;
  std::string printed;
};
Finished run_slotswap(std::vector<std::string> const& arguments);

// Of a line of the log that is not JSON; empty when it has no such key.
std::string value_of(std::string const& line, std::string const& key);

class SlotswapProcess {
 public:
  // yaml: all but `listen`. wrapper: a program and its arguments that execs what follows, as
  // another user say. program: one that takes slotswap's place, with its command line and its log.
  // Returns when it listens; throws std::runtime_error with the log when it does not get there.
  explicit SlotswapProcess(std::string const& yaml, std::vector<std::string> wrapper = {},
                           std::string program = "");
  SlotswapProcess(SlotswapProcess const&) = delete;
  SlotswapProcess& operator=(SlotswapProcess const&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] pid_t pid() const { return child_.pid(); }

  // Lines that hold all of these, as in lines({"event=save ", "result=ok"}).
  [[nodiscard]] std::vector<std::string> lines(std::vector<std::string> const& parts) const;
  [[nodiscard]] std::size_t count(std::vector<std::string> const& parts) const {
    return lines(parts).size();
  }
  // True once there are so many such lines: they are written a moment after what they tell of.
  bool said(std::vector<std::string> const& parts, std::size_t times = 1) const;
  [[nodiscard]] std::string log() const;

  // SIGTERM; the exit code, none when it had to be killed.
  std::optional<int> stop();
  // SIGKILL.
  void crash() { child_.stop(9); }

 private:
  TempDir home_;
  ChildProcess child_;
  std::uint16_t port_ = 0;
};

}  // namespace slotswap::test
