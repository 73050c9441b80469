// The proxy in this process: a service on a loop and a thread of its own, on a port that the system
// chose. What lives on the loop is reached by on_loop() only; the rest is for the test's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace slotswap::app {
class Service;
struct ServiceOptions;
}  // namespace slotswap::app

namespace slotswap::test {

// Its times in front of a server that is simulated at this scale.
app::ServiceOptions faster(double scale);

class RunningProxy {
 public:
  // yaml: the whole configuration; `listen` with port 0. Throws std::runtime_error when it does not
  // start.
  explicit RunningProxy(std::string const& yaml);
  RunningProxy(std::string const& yaml, app::ServiceOptions options);
  // Stops it in order; running answers get the configuration's drain_seconds.
  ~RunningProxy();
  RunningProxy(RunningProxy const&) = delete;
  RunningProxy& operator=(RunningProxy const&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  // What SIGHUP does to the program.
  void reload();
  // Returns at once.
  void begin_stop();
  void stop();
  // Runs it on the loop's thread and waits for its end.
  void on_loop(std::function<void()> const& work);
  [[nodiscard]] app::Service const& service() const;  // within on_loop() only

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace slotswap::test
