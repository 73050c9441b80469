// bench-queue [--sim | --real] [--requests N] [--seed S]: the order of waiting requests, first come
// first served against slotswap's own. tools/bench-queue builds and runs it.
#include "bench_queue/house.hpp"

#include <array>
#include <cstdio>
#include <exception>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace slotswap::bench {
namespace {

struct Options {
  bool simulated = true;
  bool real = true;
  int requests = 60;
  std::uint64_t seed = 1;
};

Options parse(std::vector<std::string> const& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto const& word = words[i];
    auto const value = [&] {
      if (++i == words.size()) throw std::invalid_argument(word + " needs a value");
      return words[i];
    };
    if (word == "--sim") {
      options.real = false;
    } else if (word == "--real") {
      options.simulated = false;
    } else if (word == "--requests") {
      options.requests = std::stoi(value());
    } else if (word == "--seed") {
      options.seed = std::stoull(value());
    } else {
      throw std::invalid_argument("unknown: " + word);
    }
  }
  return options;
}

struct Order {
  char const* name;
  char const* keys;
};

constexpr std::array<Order, 3> orders{{
    {"first come, first served", "max_overtake_seconds: 0, linger_seconds: 0, "},
    {"`max_overtake_seconds: 8`", "max_overtake_seconds: 8, "},
    {"as it is, `max_overtake_seconds: 30`", ""},
}};

std::vector<Load> loads(Options const& options) {
  Load many;
  many.name = "3 sessions, 8 clients each";
  many.clients = 8;
  many.requests = options.requests;
  many.seed = options.seed;
  Load one = many;
  one.name = "3 sequential clients";
  one.clients = 1;
  one.requests = (options.requests + 1) / 2;
  one.think = test::Milliseconds{300};
  return {many, one};
}

void print(Load const& load, Order const& order, Figures const& figures) {
  std::printf("| %s | %s | %zu | %zu | %.0f | %.1f | %.2f | %lld |\n", load.name.c_str(),
              order.name, figures.requests, figures.swaps, figures.an_hour, figures.longest_wait,
              figures.first_token, static_cast<long long>(figures.read));
  std::fflush(stdout);
}

void print_head(char const* server) {
  std::printf(
      "\n%s:\n\n| clients | order | requests | swaps | requests an hour | longest wait, s | first "
      "token, s (median) | tokens read again |\n|---|---|---:|---:|---:|---:|---:|---:|\n",
      server);
}

// All at once, since a simulated server only waits: three minutes instead of ten.
void on_the_sim(Options const& options) {
  print_head("llama-sim");
  std::vector<std::unique_ptr<QueueHouse>> houses;
  std::vector<std::future<Figures>> figures;
  auto const all = loads(options);
  for (auto const& load : all) {
    for (auto const& order : orders) {
      houses.push_back(std::make_unique<QueueHouse>(Kind::simulated, order.keys));
      figures.push_back(std::async(std::launch::async,
                                   [&load, &house = *houses.back()] { return house.run(load); }));
    }
  }
  std::size_t next = 0;
  for (auto const& load : all) {
    for (auto const& order : orders) print(load, order, figures[next++].get());
  }
}

void on_the_real_one(Options const& options) {
  print_head("llama-server, model `mid`");
  for (auto const& load : loads(options)) {
    for (auto const& order : orders) {
      QueueHouse house(Kind::real, order.keys);
      print(load, order, house.run(load));
    }
  }
}

}  // namespace
}  // namespace slotswap::bench

int main(int argc, char** argv) {
  using namespace slotswap;
  try {
    auto const options = bench::parse({argv + 1, argv + argc});
    if (auto const why_not = test::RealServer::unavailable(); options.real && !why_not.empty()) {
      std::fprintf(stderr, "bench-queue: %s\n", why_not.c_str());
      return 77;
    }
    std::printf("seed %llu\n", static_cast<unsigned long long>(options.seed));
    if (options.simulated) bench::on_the_sim(options);
    if (options.real) bench::on_the_real_one(options);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "bench-queue: %s\n", error.what());
    return 1;
  }
  return 0;
}
