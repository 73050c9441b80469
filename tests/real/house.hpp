// A real llama-server and the real slotswap in front of it, both as programs, with a slot folder.
#pragma once

#include "real/states.hpp"
#include "real/talk.hpp"
#include "real/wire.hpp"
#include "support/real_server.hpp"
#include "support/slotswap_process.hpp"
#include "support/wait.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slotswap::test {

struct RealHouseOptions {
  RealServerOptions server = {};
  std::string slots = {};                               // YAML of the route's slots
  std::string top = {};                                 // YAML lines for the whole
  std::string route = {};                               // and one for the route
  std::optional<std::filesystem::path> save_path = {};  // default: the server's
  std::vector<std::string> proxy_wrapper = {};          // see SlotswapProcess
  bool wired = false;                                   // a Wire between the two
};

class RealHouse {
 public:
  explicit RealHouse(RealHouseOptions options = {});

  // Through the proxy; its log line is there when it returns.
  Reply chat(std::string const& session, Talk const& talk, std::string const& more = "");
  Reply chat(std::string const& session, std::string const& text, std::string const& more = "") {
    return chat(session, user_says(text), more);
  }
  HttpAnswer post(std::string const& path, Headers const& headers, std::string const& body);

  // In order, as with SIGTERM; its exit code.
  std::optional<int> stop_proxy();
  void start_proxy();

  std::filesystem::path const& folder() const { return server.slot_dir(); }
  std::string yaml() const;
  // A member of GET /props, which neither wakes the server nor keeps it awake.
  bool asleep() const;

  // Every saved state, and every file of one, holds the beginning of its own session's prompt and
  // no word of another's. Their number.
  std::size_t expect_own_tokens(std::vector<std::string> const& names, int words) const;

  RealHouseOptions options;
  RealServer server;
  std::unique_ptr<Wire> wire;  // none unless options.wired
  std::unique_ptr<SlotswapProcess> proxy;
};

// A request's client that can leave in the middle.
class LeavingClient {
 public:
  LeavingClient(RealHouse const& house, std::string const& session, Talk const& talk,
                std::string const& more);
  void wait_for_first_event() { client_.read_until("data: "); }
  void leave() { client_.close(); }

 private:
  RawClient client_;
};

// Of a log line, as in number_in(line, "swap_ms"); -1 where it is missing.
double number_in(std::string const& line, std::string const& key);

}  // namespace slotswap::test
