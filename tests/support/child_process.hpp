// A program that a test starts beside itself, its output in a file, in a process group of its own.
// Start it from the thread that outlives it: the kernel kills it when that thread ends. Not
// thread-safe.
#pragma once

#include "support/raw_client.hpp"

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace slotswap::test {

class ChildProcess {
 public:
  ChildProcess() = default;
  // Kills the whole group.
  ~ChildProcess();
  ChildProcess(ChildProcess const&) = delete;
  ChildProcess& operator=(ChildProcess const&) = delete;

  // command: the program's path and its arguments; what it prints is appended to log_file. Throws
  // std::runtime_error.
  void start(std::vector<std::string> command, std::string const& log_file);

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool running() { return !ended_within(Milliseconds{0}); }
  // True once it ended, by itself or by a signal that was sent before.
  bool ended_within(Milliseconds time);
  // Returns at once.
  void send(int signal) const;
  // Sends it and waits for the end; SIGKILL follows after the patience.
  void stop(int signal, Milliseconds patience = Milliseconds{20'000});
  // Of the last run: empty while it runs, and when a signal ended it.
  [[nodiscard]] std::optional<int> exit_code() const { return exit_code_; }

 private:
  pid_t pid_ = -1;
  std::optional<int> exit_code_;
};

}  // namespace slotswap::test
