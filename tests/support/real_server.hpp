// A real llama-server as a child of the test, on a free port, with a slot folder of its own.
// tools/test names it in the environment: SLOTSWAP_REAL_LLAMA (the program) and
// SLOTSWAP_REAL_MODELS (the folder of tiny, tiny-other, swa and mid), or SLOTSWAP_REAL_SKIP (why
// there is none). Start it from the thread that outlives it: the kernel kills the server when that
// thread ends.
#pragma once

#include "support/child_process.hpp"
#include "support/temp_dir.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// First statement of a test that needs the real server.
#define SLOTSWAP_NEED_REAL_SERVER()                                                         \
  if (auto const why_not = ::slotswap::test::RealServer::unavailable(); !why_not.empty()) { \
    GTEST_SKIP() << why_not;                                                                \
  }                                                                                         \
  static_assert(true)

namespace slotswap::test {

struct RealServerOptions {
  // Empty: a router; its models, their slots and their context come with args.
  std::string model = "tiny";
  int slots = 1;
  int context = 16'384;                                          // tokens, all slots together
  std::optional<std::filesystem::path> slot_dir = std::nullopt;  // default: a folder of its own
  bool can_save = true;                                          // --slot-save-path
  std::vector<std::string> args = {};                            // after ours, so the last one wins
  // A program and its arguments that execs what follows, as another user say.
  std::vector<std::string> wrapper = {};
};

class RealServer {
 public:
  // Empty when there is one, else the reason.
  static std::string unavailable();

  // Returns when GET /health is 200; throws std::runtime_error with the log when it does not get
  // there.
  explicit RealServer(RealServerOptions options = {});
  RealServer(RealServer const&) = delete;
  RealServer& operator=(RealServer const&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] pid_t pid() const { return child_.pid(); }
  [[nodiscard]] std::filesystem::path const& slot_dir() const { return slot_dir_; }
  [[nodiscard]] std::string log() const;
  [[nodiscard]] bool running() { return child_.running(); }

  // SIGSTOP and SIGCONT return at once; any other signal is waited for, and SIGKILL follows it
  // after 20 s.
  void kill(int signal);
  // True once it ended by itself, as in a crash, within the time.
  bool ended_within(Milliseconds time) { return child_.ended_within(time); }
  // On the same port with the same folder; kills it first if it runs.
  void restart();

  // The path of a model of the set, as in model_path("swa").
  static std::string model_path(std::string const& name);

 private:
  void spawn();
  bool wait_until_healthy();
  std::vector<std::string> command_line() const;

  RealServerOptions options_;
  TempDir home_;
  std::filesystem::path slot_dir_;
  std::uint16_t port_ = 0;
  ChildProcess child_;
};

// A port of 127.0.0.1 that nothing listens on at the moment.
std::uint16_t free_port();

}  // namespace slotswap::test
