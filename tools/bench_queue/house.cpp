#include "bench_queue/house.hpp"

#include "bench_swap/clients.hpp"

#include <algorithm>
#include <stdexcept>

namespace slotswap::bench {
namespace {

// A quarter of the times of a large model: 500 tokens read and 50 written a second, 3 s to save a
// state and 3 s to restore one, answers of 1 to 2 s, and a second or so until the next question.
llama_sim::Options simulated(std::string const& folder) {
  llama_sim::Options options;
  options.slot_save_path = folder;
  options.prefill_tps = 2'000;
  options.decode_tps = 200;
  options.slot_call_tps = 1'000;
  return options;
}

constexpr Sizes simulated_sizes{700, 50, 60, 100};
// The real one's words have several tokens each.
constexpr Sizes real_sizes{150, 6, 16, 32};

test::RealServerOptions real(std::string const& folder) {
  test::RealServerOptions options;
  options.model = "mid";
  options.slot_dir = folder;
  options.args = {"--alias", "mid"};
  return options;
}

}  // namespace

Sizes sizes_for(Kind kind) {
  return kind == Kind::simulated ? simulated_sizes : real_sizes;
}

QueueHouse::QueueHouse(Kind kind, std::string const& keys) : kind_(kind) {
  auto const folder = folder_.path().string();
  if (kind == Kind::simulated) {
    sim_ = std::make_unique<llama_sim::Sim>(simulated(folder));
  } else {
    server_ = std::make_unique<test::RealServer>(real(folder));
  }
  auto const url = sim_ ? sim_->url() : server_->url();
  proxy_ = std::make_unique<test::SlotswapProcess>(
      "servers:\n  - {name: main, url: '" + url + "'}\nroutes:\n  - {model: '*', " + keys +
      "slots: {save_path: '" + folder + "', min_free_gib: 0}}\n");
}

Figures QueueHouse::run(Load const& load) {
  auto const sizes = sizes_for(kind_);
  auto const warming = warm_up(proxy_->port(), load, sizes);
  auto const course = play(proxy_->port(), load, sizes);
  Figures figures;
  figures.requests = course.first_ms.size();
  std::vector<std::string> const mine{"event=request ", "path=/v1/chat/completions "};
  if (!proxy_->said(mine, figures.requests + warming))
    throw std::runtime_error("slotswap's log lacks requests");
  auto lines = proxy_->lines(mine);
  lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(warming));
  for (auto const& line : lines) {
    if (!test::value_of(line, "swapped").empty()) ++figures.swaps;
    figures.longest_wait =
        std::max(figures.longest_wait, std::stod(test::value_of(line, "waited_ms")) / 1000);
  }
  figures.an_hour = static_cast<double>(figures.requests) / course.seconds * 3600;
  figures.first_token = median(course.first_ms) / 1000;
  figures.read = course.read;
  return figures;
}

}  // namespace slotswap::bench
