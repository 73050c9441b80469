#include "ways.hpp"

#include "support/real_server.hpp"
#include "support/slotswap_process.hpp"

#include <optional>
#include <set>
#include <utility>

namespace slotswap::bench {
namespace {

test::RealServerOptions server_options(std::string const& model, int slots) {
  test::RealServerOptions options;
  options.model = model;
  options.slots = slots;
  options.args = {"--alias", model};
  return options;
}

std::string session_name(std::size_t session) {
  return "session-" + std::to_string(session);
}

std::string body_of(test::Talk const& talk, std::string const& more = "") {
  return test::chat_body(talk, R"("stream":true,)" + more);
}

Timed timed(Instant start, Answer answer) {
  Timed result;
  auto const time = std::chrono::duration<double, std::milli>(answer.first_event - start);
  result.first_ms = time.count();
  result.overhead_ms = result.first_ms - answer.prefill_ms;
  result.reply = std::move(answer.reply);
  return result;
}

class Proxied : public Way {
 public:
  explicit Proxied(std::string const& model)
      : Way("through slotswap"),
        server_(server_options(model, 1)),
        proxy_("servers:\n  - {name: main, url: '" + server_.url() +
               "'}\nroutes:\n  - model: '*'\n    slots: {save_path: '" +
               server_.slot_dir().string() + "'}\n"),
        client_(proxy_.port()) {}

  Timed ask(std::size_t session, test::Talk const& talk) override {
    auto const body = body_of(talk);
    client_.make_ready();
    auto const start = std::chrono::steady_clock::now();
    return timed(start, client_.stream({{"X-Session-ID", session_name(session)}}, body));
  }

 private:
  test::RealServer server_;
  test::SlotswapProcess proxy_;
  KeptClient client_;
};

// The calls that a swap cannot do without, and nothing else: no check, no manifest, no waiting.
class Minimal : public Way {
 public:
  explicit Minimal(std::string const& model)
      : Way("a client that swaps itself"),
        server_(server_options(model, 1)),
        client_(server_.port()) {}

  Timed ask(std::size_t session, test::Talk const& talk) override {
    auto const body = body_of(talk);
    client_.make_ready();
    auto const start = std::chrono::steady_clock::now();
    if (resident_ != session) swap_to(session);
    return timed(start, client_.stream({}, body));
  }

 private:
  void swap_to(std::size_t session) {
    client_.ask("GET", "/slots");
    if (resident_) {
      slot_call("save", *resident_);
      saved_.insert(*resident_);
    }
    if (saved_.contains(session)) slot_call("restore", session);
    resident_ = session;
  }

  void slot_call(std::string const& action, std::size_t session) {
    client_.ask("POST", "/slots/0?action=" + action,
                R"({"filename":")" + session_name(session) + R"(.bin"})");
  }

  test::RealServer server_;
  KeptClient client_;
  std::optional<std::size_t> resident_;
  std::set<std::size_t> saved_;
};

class Alone : public Way {
 public:
  Alone(std::string name, std::string const& model, int slots)
      : Way(std::move(name)),
        slots_(slots),
        server_(server_options(model, slots)),
        client_(server_.port()) {}

  Timed ask(std::size_t session, test::Talk const& talk) override {
    auto const pin = slots_ == 1 ? "" : "\"id_slot\":" + std::to_string(session) + ",";
    auto const body = body_of(talk, pin);
    client_.make_ready();
    auto const start = std::chrono::steady_clock::now();
    return timed(start, client_.stream({}, body));
  }

 private:
  int slots_;
  test::RealServer server_;
  KeptClient client_;
};

}  // namespace

std::vector<std::unique_ptr<Way>> all_ways(std::string const& model) {
  std::vector<std::unique_ptr<Way>> ways;
  ways.push_back(std::make_unique<Proxied>(model));
  ways.push_back(std::make_unique<Minimal>(model));
  ways.push_back(std::make_unique<Alone>("one slot alone", model, 1));
  ways.push_back(std::make_unique<Alone>("four slots alone", model, 4));
  return ways;
}

}  // namespace slotswap::bench
