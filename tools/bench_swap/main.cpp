// bench-swap [TURNS | --router]: three sessions in turn on a real llama-server, with one slot, with
// four, and with one behind slotswap; then slotswap's own share of a turn. --router: three models
// behind a router instead. tools/bench-swap builds and runs it.
#include "bench_swap/clients.hpp"
#include "bench_swap/router.hpp"
#include "support/real_server.hpp"
#include "support/slotswap_process.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slotswap::bench {
namespace {

constexpr std::array<char const*, 3> sessions{"anna", "ben", "carl"};
constexpr int counted_turns = 4;
constexpr int first_words = 200;

// Each session's talk, a message and an answer longer every time.
class Conversation {
 public:
  test::Talk const& next(std::string const& session) {
    auto& talk = talks_[session];
    auto const words = talk.empty() ? first_words : 4;
    talk.push_back({"user", test::story(session + (talk.empty() ? "" : "more"), words)});
    return talk;
  }
  void answered(std::string const& session, std::string const& text) {
    talks_[session].push_back({"assistant", text});
  }

 private:
  std::map<std::string, test::Talk> talks_;
};

// A row of the table: what comes after the first turn.
void row(char const* name, Ask const& ask) {
  Conversation conversation;
  std::int64_t read = 0;
  std::vector<double> first;
  std::vector<double> total;
  for (int number = 0; number < counted_turns; ++number) {
    for (std::string const session : sessions) {
      auto const turn = ask(session, conversation.next(session));
      conversation.answered(session, turn.text);
      if (number == 0) continue;
      read += turn.read;
      first.push_back(turn.first_ms);
      total.push_back(turn.total_ms);
    }
  }
  std::printf("  %-36s %10lld %17.1f %12.1f\n", name, static_cast<long long>(read), median(first),
              median(total));
  std::fflush(stdout);
}

test::RealServerOptions server_options(std::string const& model, int slots) {
  test::RealServerOptions options;
  options.model = model;
  options.slots = slots;
  options.args = {"--alias", model};
  return options;
}

std::string yaml(test::RealServer const& server) {
  return "servers:\n  - {name: main, url: '" + server.url() +
         "'}\nroutes:\n  - model: '*'\n    slots: {save_path: '" + server.slot_dir().string() +
         "'}\n";
}

void table(std::string const& model) {
  std::printf(
      "Three sessions in turn, %d turns, model %s, --cache-ram 0; after the first turn:\n\n",
      counted_turns, model.c_str());
  std::printf("  %-36s %10s %17s %12s\n", "", "read again", "first token, ms", "turn, ms");
  {
    test::RealServer server(server_options(model, 1));
    Straight client(server.port());
    row("llama-server, one slot", [&](auto const& s, auto const& t) { return client.ask(s, t); });
  }
  {
    test::RealServer server(server_options(model, 4));
    std::map<std::string, std::string> pins;
    for (auto const* session : sessions)
      pins.emplace(session, "\"id_slot\":" + std::to_string(pins.size()) + ",");
    Straight client(server.port(), pins);
    row("llama-server, four slots", [&](auto const& s, auto const& t) { return client.ask(s, t); });
  }
  {
    test::RealServer server(server_options(model, 1));
    Minimal client(server.port(), server.slot_dir());
    row("one slot, swapped by a minimal client",
        [&](auto const& s, auto const& t) { return client.ask(s, t); });
  }
  test::RealServer server(server_options(model, 1));
  test::SlotswapProcess proxy(yaml(server));
  Straight client(proxy.port());
  row("one slot, swapped by slotswap",
      [&](auto const& s, auto const& t) { return client.ask(s, t); });
}

// Two servers alike, each turn once on either: what the server computed is taken off, then what is
// left of both is compared, pair by pair.
void share(std::string const& model, int turns) {
  test::RealServer bare(server_options(model, 1));
  test::RealServer fronted(server_options(model, 1));
  test::SlotswapProcess proxy(yaml(fronted));
  Minimal minimal(bare.port(), bare.slot_dir());
  Straight through(proxy.port());
  Conversation conversation;
  std::vector<double> without;
  std::vector<double> with;
  std::vector<double> more;
  for (int number = 0; number < turns; ++number) {
    for (std::string const session : sessions) {
      auto const& talk = conversation.next(session);
      auto const a = minimal.ask(session, talk);
      auto const b = through.ask(session, talk);
      conversation.answered(session, a.text);
      if (number == 0) continue;
      without.push_back(a.total_ms - a.computed_ms);
      with.push_back(b.total_ms - b.computed_ms);
      more.push_back(with.back() - without.back());
    }
  }
  std::printf("  %-8s %8zu %18.2f %14.2f %16.2f\n", model.c_str(), more.size(), median(without),
              median(with), median(more));
  std::fflush(stdout);
}

void run(int turns) {
  table("mid");
  std::printf(
      "\nWhat a turn takes beside the server's prompt_ms and predicted_ms, ms, median; slotswap's\n"
      "own share is the median of what it takes more than the minimal client, pair by pair:\n\n");
  std::printf("  %-8s %8s %18s %14s %16s\n", "model", "pairs", "minimal client", "slotswap",
              "slotswap's own");
  share("mid", turns);
  share("tiny", turns);
}

}  // namespace
}  // namespace slotswap::bench

int main(int argc, char** argv) {
  if (auto const why_not = slotswap::test::RealServer::unavailable(); !why_not.empty()) {
    std::fprintf(stderr, "bench-swap: %s\n", why_not.c_str());
    return 77;
  }
  try {
    if (argc > 1 && std::string_view(argv[1]) == "--router") {
      slotswap::bench::router_table();
      return 0;
    }
    slotswap::bench::run(argc > 1 ? std::max(2, std::atoi(argv[1])) : 20);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "bench-swap: %s\n", error.what());
    return 1;
  }
  return 0;
}
