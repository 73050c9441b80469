#include "torture_run/house.hpp"

#include <sys/wait.h>

#include <poll.h>

#include <algorithm>
#include <csignal>
#include <sstream>
#include <utility>

namespace slotswap::torture {
namespace {

// Stopped in the middle of a request it waits for that client to leave, so it is killed then, as
// by whoever looks after it.
constexpr Milliseconds server_patience{1'000};

void pause(Milliseconds time) {
  ::poll(nullptr, 0, static_cast<int>(time.count()));
}

// Why it died stands near the end, before the addresses of its stack.
std::string last_words(std::string const& log) {
  std::istringstream all(log);
  std::string last;
  for (std::string line; std::getline(all, line);) {
    auto const telling = {"GGML_ASSERT", "terminate called", "what():", "rror:"};
    auto const has = [&line](auto const* part) { return line.find(part) != std::string::npos; };
    if (std::any_of(telling.begin(), telling.end(), has)) last = line;
  }
  return last;
}

}  // namespace

House::House(HouseOptions options) : options_(std::move(options)) {
  test::RealServerOptions server;
  server.slot_dir = options_.folder;
  server.args = {"--alias", "tiny"};
  server_ = std::make_unique<test::RealServer>(server);
  start_proxy();
}

void House::start_proxy() {
  proxy_.reset();
  lines_read_ = 0;
  proxy_ = std::make_unique<test::SlotswapProcess>(
      "servers:\n  - {name: main, url: '" + server_->url() +
      "'}\nroutes:\n  - model: '*'\n    slots: {save_path: '" + folder().string() + "'" +
      options_.slots + "}\n");
  port_ = proxy_->port();
}

std::string House::restart_proxy(int signal, Milliseconds down, std::function<void()> const& work) {
  std::string odd;
  auto const begin = Clock::now();
  if (signal == SIGKILL) {
    proxy_->crash();
  } else {
    odd = stop();
  }
  read_restores();
  if (work) work();
  pause(down);
  start_proxy();
  downtimes_.push_back({begin, Clock::now()});
  return odd;
}

void House::restart_server(int signal, Milliseconds down) {
  auto const begin = Clock::now();
  ::kill(server_->pid(), signal);
  server_->ended_within(server_patience);
  pause(down);
  server_->restart();
  downtimes_.push_back({begin, Clock::now()});
}

std::string House::mend() {
  std::string dead;
  if (!server_->running()) {
    dead = "llama-server died: " + last_words(server_->log());
    server_->restart();
  }
  if (proxy_ended()) {
    dead += "slotswap died: " + log_of("", 3);
    read_restores();
    start_proxy();
  }
  return dead;
}

// Leaves its end to be waited for by whoever owns the process.
bool House::proxy_ended() const {
  siginfo_t ended{};
  auto const id = static_cast<id_t>(proxy_->pid());
  return ::waitid(P_PID, id, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0;
}

bool House::was_down(Clock::time_point begin, Clock::time_point end) const {
  return std::any_of(downtimes_.begin(), downtimes_.end(),
                     [&](auto const& down) { return begin <= down.end && end >= down.begin; });
}

void House::read_restores() {
  auto const lines = proxy_->lines({"event=restore ", " file="});
  for (; lines_read_ < lines.size(); ++lines_read_) {
    auto const& line = lines[lines_read_];
    restores_.push_back({test::value_of(line, "ts"), test::value_of(line, "file"), line});
  }
}

std::vector<Restore> House::take_restores() {
  read_restores();
  return std::exchange(restores_, {});
}

std::string House::log_of(std::string const& part, std::size_t lines,
                          std::string const& until) const {
  auto all = proxy_->lines({part});
  std::erase_if(all, [&](auto const& line) { return test::value_of(line, "ts") > until; });
  std::string text;
  for (auto i = all.size() - std::min(lines, all.size()); i < all.size(); ++i) {
    text += "\n      " + all[i];
  }
  return text;
}

std::string House::stop() {
  auto const code = proxy_->stop();
  if (code == 0) return "";
  return "slotswap did not end in order" + (code ? ": " + std::to_string(*code) : std::string());
}

}  // namespace slotswap::torture
