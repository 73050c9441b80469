// A simulated llama-server and the proxy in front of it, in this process, both on ports the system
// chose.
#pragma once

#include "llama_sim/sim.hpp"
#include "support/http_client.hpp"
#include "support/temp_dir.hpp"

#include <slotswap/app/service.hpp>
#include <slotswap/telemetry/capture.hpp>

#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace slotswap::test {

/// A proxy in a thread of its own; stopped in order by stop() or its destructor.
class RunningProxy {
 public:
  RunningProxy(std::string const& yaml, app::ServiceOptions options);
  ~RunningProxy();
  RunningProxy(RunningProxy const&) = delete;
  RunningProxy& operator=(RunningProxy const&) = delete;

  std::uint16_t port() const { return port_; }
  void stop();
  void begin_stop();
  app::Service const& service() const { return *service_; }  // on the loop only
  void on_loop(std::function<void()> work);

 private:
  net::Loop loop_;
  std::unique_ptr<app::Service> service_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

struct Reply {
  int status = 0;
  std::string body;
  std::int64_t reused = -1;
  std::int64_t read = -1;
};

/// Both, and a slot folder. `slots` is YAML for the route's slots, after save_path.
class House {
 public:
  explicit House(std::string slots = "", std::function<void(llama_sim::Options&)> changed = nullptr,
                 std::string top = "");

  Reply chat(std::string const& session, std::string const& text, std::string const& more = "");
  /// A POST through the proxy; its log line is there when it returns.
  HttpAnswer ask(std::string const& path, Headers const& headers, std::string const& body);
  std::string chat_body(std::string const& text, std::string const& more = "") const;
  /// Starts the proxy again, as after a restart.
  void restart_proxy();
  std::string yaml() const;
  app::ServiceOptions options() const;
  /// Files in the slot folder with this ending.
  std::vector<std::string> files(std::string const& ending) const;

  TempDir folder;
  std::string slots_yaml;
  std::string top_yaml;
  double scale = 0.02;
  telemetry::CapturedLog log;
  std::unique_ptr<llama_sim::Sim> sim;
  std::unique_ptr<RunningProxy> proxy;
};

/// Looks again and again, without a fixed pause, until it is true; false after 20 s.
bool eventually(std::function<bool()> const& condition);

/// A text of `words` words that no other name gives.
std::string story(std::string const& name, int words);

}  // namespace slotswap::test
