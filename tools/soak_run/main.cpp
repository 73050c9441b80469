// soak [--requests N] [--seed S] [--slots N] [--verbose]: many requests through slotswap on
// llama-sim, with everything that may come between; then nothing may be left of them. tools/soak
// builds and runs it. soak serve CONFIG: the part of slotswap (serve.hpp).
#include "soak_run/clients.hpp"
#include "soak_run/house.hpp"
#include "soak_run/serve.hpp"
#include "soak_run/verdict.hpp"

#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace slotswap::soak {
namespace {

// Fewer say nothing of the memory: it has not come to its size after a fifth of them.
constexpr int enough_for_memory = 2'000;
// Until kept connections and idle saves are done with.
constexpr auto pause_to_settle = std::chrono::seconds(5);

struct Options {
  int requests = 5'000;
  std::uint64_t seed = 1;
  int slots = 1;
  bool verbose = false;
};

Options parse(std::vector<std::string> const& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto const& word = words[i];
    auto const value = [&] {
      if (++i == words.size()) throw std::invalid_argument(word + " needs a value");
      return words[i];
    };
    if (word == "--requests") {
      options.requests = std::stoi(value());
    } else if (word == "--seed") {
      options.seed = std::stoull(value());
    } else if (word == "--slots") {
      options.slots = std::stoi(value());
    } else if (word == "--verbose") {
      options.verbose = true;
    } else {
      throw std::invalid_argument("unknown: " + word);
    }
  }
  return options;
}

Course play(House& house, Options const& options) {
  Course course;
  Clients clients(house, options.seed);
  auto const fifth = options.requests / 5;
  for (auto const count : {fifth, options.requests - fifth}) {
    clients.play(count);
    if (options.requests >= enough_for_memory) std::this_thread::sleep_for(pause_to_settle);
    course.settled.push_back(house.settled());
    course.memory_kib.push_back(house.memory_kib());
  }
  course.seen = clients.seen();
  course.ended_in_order = house.stop() == 0;
  course.end = house.last_counts();
  course.receipts = read_receipts(house);
  auto const book = house.book();
  course.actions_beside_work = book.actions_beside_work;
  course.most_parked = book.most_parked;
  for (auto const& line : house.lines({"event=internal "})) course.mistakes.push_back(line);
  for (auto const& line : house.lines({"event=log ", "dropped="})) course.mistakes.push_back(line);
  return course;
}

bool run(Options const& options) {
  std::printf("%d requests, seed %llu, slots %d\n", options.requests,
              static_cast<unsigned long long>(options.seed), options.slots);
  House house(std::filesystem::read_symlink("/proc/self/exe").string(), options.slots);
  auto const begin = std::chrono::steady_clock::now();
  auto const course = play(house, options);
  auto const took = std::chrono::steady_clock::now() - begin;
  print(course);
  std::printf("%.0f s\n", std::chrono::duration<double>(took).count());
  auto const found = judge(course, options.requests >= enough_for_memory);
  for (auto const& sentence : found) std::printf("VIOLATION: %s\n", sentence.c_str());
  if (!found.empty() && options.verbose) {
    for (auto const& line : house.lines({"event="})) std::printf("  %s\n", line.c_str());
  }
  return found.empty();
}

}  // namespace
}  // namespace slotswap::soak

int main(int argc, char** argv) {
  using namespace slotswap;
  std::vector<std::string> const words(argv + 1, argv + argc);
  try {
    if (words.size() == 2 && words[0] == "serve") return soak::serve(words[1]);
    return soak::run(soak::parse(words)) ? 0 : 1;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "soak: %s\n", error.what());
    return 2;
  }
}
