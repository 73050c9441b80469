// torture [--rounds N] [--seed S] [--verify stat|checksum] [--real-disk] [--verbose]: a real
// llama-server and a real slotswap, and in each round one thing that goes wrong. tools/torture
// builds and runs it.
//
// Counted, and to be 0: requests without an answer though both programs ran, saved states that a
// session did not get back (ledger.hpp says what that means), damaged files that were handed to the
// server, programs that died by themselves.
#include "support/temp_dir.hpp"
#include "torture_run/rounds.hpp"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace slotswap::torture {
namespace {

struct Options {
  int rounds = 200;
  std::uint64_t seed = 1;
  std::string verify = "checksum";
  bool verbose = false;
  bool real_disk = false;
};

std::atomic<bool> interrupted{false};

Options parse(std::vector<std::string> const& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto const& word = words[i];
    auto const value = [&] {
      if (++i == words.size()) throw std::invalid_argument(word + " needs a value");
      return words[i];
    };
    if (word == "--rounds") {
      options.rounds = std::stoi(value());
    } else if (word == "--seed") {
      options.seed = std::stoull(value());
    } else if (word == "--verify") {
      options.verify = value();
    } else if (word == "--verbose") {
      options.verbose = true;
    } else if (word == "--real-disk") {
      options.real_disk = true;
    } else {
      throw std::invalid_argument("unknown: " + word);
    }
  }
  if (options.verify != "stat" && options.verify != "checksum")
    throw std::invalid_argument("--verify is stat or checksum");
  return options;
}

std::vector<Kind> kinds(SmallDisk const& disk) {
  auto all = all_kinds();
  if (!disk.why_not().empty()) {
    std::printf("no full disk in this run: %s\n", disk.why_not().c_str());
    std::erase(all, Kind::disk_full);
  }
  return all;
}

bool run(Options const& options) {
  test::TempDir home;
  SmallDisk const disk(home.path() / "slots", options.real_disk ? "--real-disk" : "");
  RoundsOptions setup;
  setup.house.folder = home.path() / "slots";
  // More than the sessions that go on: only what was given up is pruned.
  setup.house.slots = ", verify: " + options.verify + ", min_free_gib: 0, max_files: 12";
  setup.unseen_may_pass = options.verify == "stat";
  Plans plans(options.seed, kinds(disk), Sessions::count);
  Rounds rounds(setup, disk);
  rounds.warm_up();
  int played = 0;
  for (; played < options.rounds && !interrupted; ++played) {
    auto const& round = rounds.play(plans.next());
    if (options.verbose) Tally::print_line(round);
  }
  auto const& tally = rounds.finish();
  std::printf("\n%d rounds, seed %llu, verify %s, model tiny\n", played,
              static_cast<unsigned long long>(options.seed), options.verify.c_str());
  tally.print();
  std::printf("\n%zu data files are left that no manifest names\n", rounds.leftovers());
  return tally.clean();
}

}  // namespace
}  // namespace slotswap::torture

int main(int argc, char** argv) {
  using namespace slotswap;
  if (auto const why_not = test::RealServer::unavailable(); !why_not.empty()) {
    std::fprintf(stderr, "torture: %s\n", why_not.c_str());
    return 77;
  }
  // The round is played to its end, so that what was started is ended.
  for (int const signal : {SIGINT, SIGTERM}) {
    std::signal(signal, [](int) { torture::interrupted = true; });
  }
  try {
    return torture::run(torture::parse({argv + 1, argv + argc})) ? 0 : 1;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "torture: %s\n", error.what());
    return 2;
  }
}
