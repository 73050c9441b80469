#include "support/slotswap_process.hpp"

#include "support/wait.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace slotswap::test {
namespace {

namespace fs = std::filesystem;

// A build beside the tests can make a start slow.
constexpr Milliseconds start_patience{30'000};

std::uint16_t port_of(std::string const& line) {
  std::string const key = "address=127.0.0.1:";
  auto const place = line.find(key);
  if (place == std::string::npos) throw std::runtime_error("no port in: " + line);
  return static_cast<std::uint16_t>(std::stoi(line.substr(place + key.size())));
}

}  // namespace

Finished run_slotswap(std::vector<std::string> const& arguments) {
  TempDir home;
  std::vector<std::string> command{SLOTSWAP_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  ChildProcess child;
  child.start(std::move(command), home.file("printed"));
  Finished finished;
  if (child.ended_within(start_patience)) finished.exit_code = child.exit_code();
  std::ifstream file(home.file("printed"));
  finished.printed = {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return finished;
}

std::string value_of(std::string const& line, std::string const& key) {
  auto const mark = key + "=";
  auto place = line.rfind(mark, 0) == 0 ? 0 : line.find(" " + mark);
  if (place == std::string::npos) return "";
  if (place > 0) ++place;
  auto const begin = place + mark.size();
  return line.substr(begin, line.find(' ', begin) - begin);
}

SlotswapProcess::SlotswapProcess(std::string const& yaml, std::vector<std::string> wrapper,
                                 std::string program) {
  auto command = std::move(wrapper);
  if (program.empty()) program = SLOTSWAP_PROGRAM;
  if (!command.empty()) {
    // For another user, who may not reach the build's folder.
    fs::permissions(home_.path(), fs::perms{0755});
    fs::copy_file(program, home_.file("slotswap"));
    program = home_.file("slotswap");
  }
  std::ofstream(home_.file("config.yaml")) << "listen: 127.0.0.1:0\n" << yaml;
  command.insert(command.end(), {program, "serve", home_.file("config.yaml")});
  child_.start(std::move(command), home_.file("log"));
  auto const listening = [this] { return count({"event=listen", "for=clients"}) == 1; };
  eventually([&] { return listening() || !child_.running(); }, start_patience);
  if (!listening()) throw std::runtime_error("slotswap does not start: " + log());
  port_ = port_of(lines({"event=listen", "for=clients"}).front());
}

std::string SlotswapProcess::log() const {
  std::ifstream file(home_.file("log"));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> SlotswapProcess::lines(std::vector<std::string> const& parts) const {
  std::vector<std::string> found;
  std::istringstream all(log());
  for (std::string line; std::getline(all, line);) {
    auto const has = [&line](auto const& part) { return line.find(part) != std::string::npos; };
    // Without its end it is still being written.
    if (!all.eof() && std::all_of(parts.begin(), parts.end(), has)) found.push_back(line);
  }
  return found;
}

bool SlotswapProcess::said(std::vector<std::string> const& parts, std::size_t times) const {
  return eventually([&] { return count(parts) >= times; });
}

std::optional<int> SlotswapProcess::stop() {
  child_.stop(SIGTERM, Milliseconds{60'000});
  return child_.exit_code();
}

}  // namespace slotswap::test
