// Two simulated llama-servers, `a` and `b`, that save into one folder, and the proxy in front of
// both.
#pragma once

#include "sim/house.hpp"

#include <slotswap/session/session.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace slotswap::test {

/// Of a server that failed, for tests in which it comes back soon, and in which it never does.
inline slots::Pauses const soon{std::chrono::milliseconds(5), std::chrono::milliseconds(20)};
inline slots::Pauses const never{std::chrono::hours(1), std::chrono::hours(1)};

class ServersHouse {
 public:
  using Change = std::function<void(llama_sim::Options&)>;

  /// `slots` is YAML for the route's slots, after save_path; `off`: it only relays.
  explicit ServersHouse(slots::Pauses pauses_, std::string slots = "", Change const& changed_a = {},
                        Change const& changed_b = {})
      : pauses(pauses_), slots_yaml(std::move(slots)) {
    a = make(changed_a);
    b = make(changed_b);
    start_proxy();
  }

  void start_proxy() {
    proxy.reset();
    proxy = std::make_unique<RunningProxy>(yaml(), options());
  }

  std::string yaml() const {
    auto const slots = "{save_path: '" + folder.path().string() + "'" +
                       (slots_yaml.empty() ? "" : ", " + slots_yaml) + "}";
    return "listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\nservers:\n  - {name: a, url: '" + a->url() +
           "'}\n  - {name: b, url: '" + b->url() + "'}\n" + more_servers +
           "routes:\n  - model: '*'\n    servers: [a, b]\n    slots: " +
           (slots_yaml == "off" ? "off" : slots) + "\n" + more_routes;
  }

  app::ServiceOptions options() const {
    app::ServiceOptions options;
    options.small_tokens = 0;
    options.pauses = pauses;
    auto& swap = options.times.swap;
    for (auto* time : {&swap.trust, &swap.look_again, &swap.after_event, &swap.before_event})
      *time = std::chrono::duration_cast<base::Duration>(*time * scale);
    return options;
  }

  /// Its log line is there when it returns.
  HttpAnswer ask(std::string const& path, Headers const& headers, std::string const& body) {
    auto const before = log.count("event=request");
    auto answer = request(proxy->port(), "POST", path, headers, body);
    eventually([&] { return log.count("event=request") > before; });
    return answer;
  }

  Reply chat(std::string const& session, int words) {
    return House::read(
        ask("/v1/chat/completions", {{"X-Session-ID", session}},
            R"({"model":"sim","max_tokens":4,"messages":[{"role":"user","content":")" +
                story(session, words) + "\"}]}"));
  }

  /// The server of the last request, by its line in the log.
  std::string last_server() const {
    auto const lines = log.matching("event=request");
    auto const& line = lines.back();
    auto const place = line.find(" server=");
    return place == std::string::npos
               ? ""
               : line.substr(place + 8, line.find(' ', place + 1) - place - 8);
  }

  /// Lines of this event that hold all three.
  std::size_t lines(std::string const& event, std::string const& server, std::string const& session,
                    std::string const& more) const {
    std::size_t found = 0;
    for (auto const& line : log.matching("event=" + event + " server=" + server + " ")) {
      auto const own = line.find("session=" + session::state_id(session)) != std::string::npos;
      if (own && line.find(more) != std::string::npos) ++found;
    }
    return found;
  }

  /// True once what the last answer left in the server's slot is known and worth saving.
  bool settled(std::string const& server) {
    return eventually([&] {
      bool settled = false;
      proxy->on_loop(
          [&] { settled = proxy->service().host(server)->keeper().slot().worth_saving(); });
      return settled;
    });
  }

  bool said(std::string const& text, std::size_t times = 1) const {
    return eventually([&] { return log.count(text) >= times; });
  }

  static std::size_t saves(llama_sim::Sim& sim) {
    std::size_t count = 0;
    for (auto const& call : sim.book().calls)
      count += call.target.ends_with("action=save") ? std::size_t{1} : 0;
    return count;
  }

  TempDir folder;
  slots::Pauses pauses;
  std::string slots_yaml;
  std::string more_servers;
  std::string more_routes;
  double scale = 0.02;
  telemetry::CapturedLog log;
  std::unique_ptr<llama_sim::Sim> a;
  std::unique_ptr<llama_sim::Sim> b;
  std::unique_ptr<RunningProxy> proxy;

 private:
  std::unique_ptr<llama_sim::Sim> make(Change const& changed) const {
    llama_sim::Options options;
    options.slot_save_path = folder.path().string();
    options.scale = scale;
    if (changed) changed(options);
    return std::make_unique<llama_sim::Sim>(options);
  }
};

}  // namespace slotswap::test
