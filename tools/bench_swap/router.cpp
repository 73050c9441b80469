#include "bench_swap/router.hpp"

#include "bench_swap/clients.hpp"
#include "real/router.hpp"
#include "support/slotswap_process.hpp"

#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace slotswap::bench {
namespace {

constexpr int turns = 60;
constexpr unsigned seed = 4;
constexpr int first_words = 100;
constexpr char const* copies_of = "mid";

// A session of a model, under a name that no other has.
struct Pair {
  std::string session;
  std::string model;
  test::Talk talk = {};
  std::int64_t prompt = 0;  // tokens of its last one
};

std::vector<Pair> all_pairs() {
  std::vector<Pair> pairs;
  for (std::string const model : {"a", "b", "c"}) {
    for (auto const* name : {"anna", "ben"}) pairs.push_back({name + ("-" + model), model});
  }
  return pairs;
}

struct Sums {
  int counted = 0;
  int anew = 0;  // turns that read all of what was read before
  std::int64_t read = 0;
  std::vector<double> first;
  std::vector<double> total;
};

Sums sixty_turns(std::uint16_t port) {
  auto pairs = all_pairs();
  std::map<std::string, std::string> models;
  for (auto const& pair : pairs) models.emplace(pair.session, test::model_member(pair.model));
  Straight client(port, models);
  std::mt19937 random(seed);
  Sums sums;
  for (int turn = 0; turn < turns; ++turn) {
    auto& pair = pairs[random() % pairs.size()];
    auto const is_first = pair.talk.empty();
    pair.talk.push_back({"user", test::story(pair.session, is_first ? first_words : 4)});
    auto const done = client.ask(pair.session, pair.talk);
    pair.talk.push_back({"assistant", done.text});
    if (!is_first) {
      ++sums.counted;
      sums.read += done.read;
      if (done.read >= pair.prompt) ++sums.anew;
      sums.first.push_back(done.first_ms);
      sums.total.push_back(done.total_ms);
    }
    pair.prompt = done.prompt;
  }
  return sums;
}

void row(char const* name, std::string const& slots) {
  test::RealRouterOptions options;
  options.copies_of = copies_of;
  test::RealRouter router(options);
  auto const folder = "{save_path: '" + router.folder().string() + "', ";
  test::SlotswapProcess proxy("servers:\n  - {name: main, url: '" + router.url() +
                              "'}\nroutes:\n  - model: '*'\n    slots: " +
                              (slots.empty() ? "off" : folder + slots + "}") + "\n");
  auto const sums = sixty_turns(proxy.port());
  std::printf("  %-40s %10lld %6d of %d %12.1f %10.1f %8zu %10zu\n", name,
              static_cast<long long>(sums.read), sums.anew, sums.counted, median(sums.first),
              median(sums.total), router.unloads(), router.evictions());
  std::fflush(stdout);
}

}  // namespace

void router_table() {
  std::printf(
      "Three models (copies of %s), --models-max 2, --cache-ram 0, two sessions in each, %d turns "
      "in\na random order; what comes after each session's first turn:\n\n  %-40s %10s %12s %12s "
      "%10s %8s %10s\n",
      copies_of, turns, "", "read again", "read anew", "first, ms", "turn, ms", "unloads",
      "evictions");
  row("a router, swapping off", "");
  // Longer than most models stand still before they have to go, and shorter than all of them do.
  for (std::string const idle : {"5", "0.05"}) {
    auto const slots = "unload: never, save_idle_seconds: " + idle;
    row(slots.c_str(), slots);
  }
  row("unload: explicit", "unload: explicit");
}

}  // namespace slotswap::bench
