// A simulated llama-server and the proxy in front of it, in this process, both on ports the system
// chose.
#pragma once

#include "llama_sim/sim.hpp"
#include "support/http_client.hpp"
#include "support/running_proxy.hpp"
#include "support/story.hpp"
#include "support/temp_dir.hpp"
#include "support/wait.hpp"

#include <slotswap/app/service.hpp>
#include <slotswap/telemetry/capture.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace slotswap::test {

struct Reply {
  int status = 0;
  std::string body;
  std::int64_t reused = -1;
  std::int64_t read = -1;
};

/// Both, and a slot folder. `slots` is YAML for the route's slots, after save_path; `top` and
/// `route` are lines for the whole and for the route.
class House {
 public:
  explicit House(std::string slots = "", std::function<void(llama_sim::Options&)> changed = nullptr,
                 std::string top = "", std::string route = "");

  Reply chat(std::string const& session, std::string const& text, std::string const& more = "");
  /// A POST through the proxy; its log line is there when it returns.
  HttpAnswer ask(std::string const& path, Headers const& headers, std::string const& body);
  /// Sends a chat; its answer is to be read from what is returned.
  RawClient begin(std::string const& session, std::string const& text,
                  std::string const& more = "") const;
  /// What an answer says of itself.
  static Reply read(HttpAnswer const& answer);
  std::string chat_body(std::string const& text, std::string const& more = "") const;
  /// True once what the last answer left in the slot, by its place in `ids`, is known and worth
  /// saving.
  bool settled(std::size_t place = 0);
  /// Requests in line for the first slot.
  std::size_t waiting();
  /// Starts the proxy again, as after a restart, with the limit below.
  void restart_proxy();
  std::string yaml() const;
  app::ServiceOptions options() const;
  /// Files in the slot folder with this ending.
  std::vector<std::string> files(std::string const& ending) const;

  TempDir folder;
  std::string slots_yaml;
  std::string top_yaml;
  std::string route_yaml;
  double scale = 0.02;
  std::uint64_t small_tokens = 0;  // as most stories here are short and meant to be saved
  telemetry::CapturedLog log;
  std::unique_ptr<llama_sim::Sim> sim;
  std::unique_ptr<RunningProxy> proxy;
};

}  // namespace slotswap::test
