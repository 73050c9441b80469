// The two programs under torture: a real llama-server and slotswap in front of it. They are ended
// and started by the main thread; ports may be read by any.
#pragma once

#include "support/real_server.hpp"
#include "support/slotswap_process.hpp"
#include "torture_run/plan.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace slotswap::torture {

using Clock = std::chrono::steady_clock;

struct HouseOptions {
  std::string slots;  // YAML of the route's slots beside save_path
  std::filesystem::path folder;
};

// A file that slotswap handed to the server, by its log.
struct Restore {
  std::string at;
  std::string file;
  std::string line;
};

class House {
 public:
  explicit House(HouseOptions options);

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::filesystem::path const& folder() const { return server_->slot_dir(); }

  // Ended by SIGKILL or SIGTERM; started again `down` later. work: done while it is down. The
  // answer: what was odd about the end.
  std::string restart_proxy(int signal, Milliseconds down,
                            std::function<void()> const& work = nullptr);
  void restart_server(int signal, Milliseconds down);

  // One that ended by itself is started again; the answer says which and why, empty when both run.
  std::string mend();
  // While we had ended one of them, at any instant in between.
  [[nodiscard]] bool was_down(Clock::time_point begin, Clock::time_point end) const;

  // Since the last call.
  std::vector<Restore> take_restores();
  // The last lines of slotswap's log that hold this, of those until then.
  [[nodiscard]] std::string log_of(std::string const& part, std::size_t lines,
                                   std::string const& until = "9") const;
  [[nodiscard]] std::size_t count(std::vector<std::string> const& parts) const {
    return proxy_->count(parts);
  }
  std::string stop();

 private:
  struct Downtime {
    Clock::time_point begin;
    Clock::time_point end;
  };
  void start_proxy();
  void read_restores();
  [[nodiscard]] bool proxy_ended() const;

  HouseOptions options_;
  std::unique_ptr<test::RealServer> server_;
  std::unique_ptr<test::SlotswapProcess> proxy_;
  std::atomic<std::uint16_t> port_{0};
  std::vector<Downtime> downtimes_;
  std::vector<Restore> restores_;
  std::size_t lines_read_ = 0;  // of this process's restores
};

}  // namespace slotswap::torture
