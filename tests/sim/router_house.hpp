// The proxy in front of a simulated router with three models, two of them loaded at most.
#pragma once

#include "sim/house.hpp"

#include <slotswap/json/scan.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace slotswap::test {

class RouterHouse : public House {
 public:
  explicit RouterHouse(std::function<void(llama_sim::Options&)> changed = nullptr,
                       std::string slots = "", std::string top = "", std::string route = "")
      : House(
            std::move(slots),
            [&](llama_sim::Options& options) {
              options.router_models = {llama_sim::RouterModel("a", {"alias/of:a"}),
                                       llama_sim::RouterModel("b"), llama_sim::RouterModel("c")};
              options.models_max = 2;
              if (changed) changed(options);
            },
            std::move(top), std::move(route)) {}

  static std::string body(std::string const& model, std::string const& text,
                          std::string const& more = "") {
    return R"({"model":)" + json::quote(model) + R"(,"max_tokens":4,)" + more +
           R"("messages":[{"role":"user","content":)" + json::quote(text) + "}]}";
  }

  /// A turn of a session with a model; `words` of its story.
  Reply turn(std::string const& model, std::string const& session, int words) {
    return read(ask("/v1/chat/completions", {{"X-Session-ID", session}},
                    body(model, story(session + model, words))));
  }

  RawClient begin(std::string const& model, std::string const& session, int words,
                  std::string const& more = "") {
    RawClient client(proxy->port());
    client.send(make_request("POST", "/v1/chat/completions", {{"X-Session-ID", session}},
                             body(model, story(session + model, words), more)));
    return client;
  }

  std::size_t calls(std::string const& target_begin, std::string const& model) {
    auto const book = sim->book();
    return static_cast<std::size_t>(
        std::count_if(book.calls.begin(), book.calls.end(), [&](llama_sim::Call const& call) {
          return call.target.rfind(target_begin, 0) == 0 && call.model == model;
        }));
  }
  /// True once what the last answer left in the model's slot is known and worth saving.
  bool settled_in(std::string const& model) {
    return eventually([&] {
      bool known = false;
      proxy->on_loop([&] {
        auto const* host = proxy->service().host("main", model);
        known = host != nullptr && host->keeper().slot().worth_saving();
      });
      return known;
    });
  }
  bool slot_is_empty(std::string const& model) {
    return eventually([&] {
      bool empty = false;
      proxy->on_loop([&] {
        auto const* host = proxy->service().host("main", model);
        empty =
            host != nullptr && std::holds_alternative<slots::Empty>(host->keeper().slot().content);
      });
      return empty;
    });
  }
  std::vector<std::string> evictions() { return sim->book().evictions; }
};

}  // namespace slotswap::test
