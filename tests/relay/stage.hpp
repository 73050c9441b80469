// A proxy with one scripted server behind it, its log kept, and what most tests say about it.
#pragma once

#include "relay/scripted_upstream.hpp"
#include "support/running_proxy.hpp"
#include "support/wait.hpp"

#include <slotswap/telemetry/capture.hpp>

#include <string>
#include <string_view>

namespace slotswap::test {

inline constexpr std::string_view get = "GET /v1/x HTTP/1.1\r\nHost: p\r\n\r\n";

// A configuration for one server that takes every model. `server`: more keys of the server, as in
// "api_key: k"; `top`: more keys of the top level, a line each.
std::string config_for(std::string const& url, std::string const& server = "",
                       std::string const& top = "", int drain_seconds = 0);

class Stage {
 public:
  explicit Stage(std::string const& server = "", std::string const& top = "");

  RawClient client(int receive_buffer = 0) const {
    return RawClient(proxy.port(), Milliseconds{20'000}, receive_buffer);
  }
  // Sends `get`: the server's end of it, with the request read.
  RawClient ask(RawClient& asking);
  // A whole exchange on a connection of the client's own and one of the server's: the house still
  // stands.
  void expect_alive();
  // The lines of event=request, once there are as many: they come a moment after the answer.
  std::vector<std::string> request_lines(std::size_t count) const;

  ScriptedUpstream upstream;
  telemetry::CapturedLog log;
  RunningProxy proxy;
};

// The answer is OpenAI's error shape with this status and code.
void expect_problem(HttpAnswer const& answer, int status, std::string_view code);

}  // namespace slotswap::test
