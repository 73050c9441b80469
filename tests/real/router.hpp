// A real llama-server as a router: models under names of their own, each a copy of one of the set,
// and what can be seen of it from outside without loading or waking any.
#pragma once

#include "real/talk.hpp"
#include "support/real_server.hpp"
#include "support/temp_dir.hpp"

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace slotswap::test {

struct RealRouterOptions {
  std::vector<std::string> models = {"a", "b", "c"};
  std::string copies_of = "tiny";
  int models_max = 2;
  // Lines of the preset, each with its end, of one model.
  std::map<std::string, std::string> sections = {};
};

class RealRouter {
 public:
  explicit RealRouter(RealRouterOptions options = {});

  [[nodiscard]] std::uint16_t port() const { return server_->port(); }
  [[nodiscard]] std::string url() const { return server_->url(); }
  [[nodiscard]] std::filesystem::path const& folder() const { return server_->slot_dir(); }

  // "unloaded", "loading", "loaded" or "sleeping", by GET /models; empty for a model that is not
  // listed.
  [[nodiscard]] std::string status(std::string const& model) const;
  bool becomes(std::string const& model, std::string const& status) const;
  // Models with a process, by GET /models.
  [[nodiscard]] std::vector<std::string> loaded() const;

  // The process of a loaded model; throws std::runtime_error when there is none.
  [[nodiscard]] pid_t child(std::string const& model) const;
  // SIGKILL.
  void kill_child(std::string const& model) const;
  [[nodiscard]] std::filesystem::path model_file(std::string const& model) const {
    return home_.path() / (model + ".gguf");
  }
  // What the router reads at the next GET /models?reload=1.
  void change_section(std::string const& model, std::string const& lines);

  // By its own log: models that it unloaded to make room, of its own accord; and by request.
  [[nodiscard]] std::size_t evictions() const;
  [[nodiscard]] std::size_t unloads() const;
  // The lines that say so, and which processes came and went.
  [[nodiscard]] std::string changes() const;

  // Straight to it, as a client beside the proxy.
  HttpAnswer get(std::string const& path) const { return request(port(), "GET", path); }
  HttpAnswer post(std::string const& path, std::string const& body) const {
    return request(port(), "POST", path, {}, body);
  }
  Reply chat(std::string const& model, std::string const& text) const;

 private:
  [[nodiscard]] std::map<std::string, std::string> statuses() const;
  [[nodiscard]] std::vector<std::string> lines(std::string const& part) const;
  void write_preset() const;

  RealRouterOptions options_;
  TempDir home_;
  std::unique_ptr<RealServer> server_;
};

// A member of a request's body, with its comma.
std::string model_member(std::string const& model);

}  // namespace slotswap::test
