#include "real/router.hpp"

#include "support/wait.hpp"

#include <slotswap/json/scan.hpp>

#include <boost/json/value.hpp>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace slotswap::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(fs::path const& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The fourth field of /proc/PID/stat; the second one is the program's name in parentheses.
pid_t parent_of(fs::path const& process) {
  auto const stat = text_of(process / "stat");
  std::istringstream rest(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
  std::string state;
  pid_t parent = -1;
  rest >> state >> parent;
  return parent;
}

// For a request that waits, and for POST /models/load, which orders the model to go as a client
// would.
constexpr char const* makes_way = "evicting idle LRU";
constexpr char const* removed = "removing LRU";
constexpr char const* ordered_to_go = "unload: stopping model instance";

}  // namespace

std::string model_member(std::string const& model) {
  return "\"model\":" + json::quote(model) + ",";
}

RealRouter::RealRouter(RealRouterOptions options) : options_(std::move(options)) {
  for (auto const& model : options_.models) {
    fs::copy_file(RealServer::model_path(options_.copies_of), model_file(model));
  }
  write_preset();
  RealServerOptions server;
  server.model = "";
  server.args = {"--models-preset", home_.file("models.ini"), "--models-max",
                 std::to_string(options_.models_max)};
  server_ = std::make_unique<RealServer>(server);
}

void RealRouter::write_preset() const {
  std::ofstream file(home_.file("models.ini"));
  file << "[*]\nparallel = 1\nctx-size = 8192\ncache-ram = 0\n";
  for (auto const& model : options_.models) {
    file << "\n[" << model << "]\nmodel = " << model_file(model).string() << '\n';
    auto const own = options_.sections.find(model);
    if (own != options_.sections.end()) file << own->second;
  }
}

void RealRouter::change_section(std::string const& model, std::string const& lines) {
  options_.sections[model] = lines;
  write_preset();
}

std::map<std::string, std::string> RealRouter::statuses() const {
  auto const parsed = json::parse(get("/models").body);
  std::map<std::string, std::string> found;
  for (auto const& model : parsed->at("data").as_array()) {
    found.emplace(model.at("id").as_string(), model.at("status").at("value").as_string());
  }
  return found;
}

std::string RealRouter::status(std::string const& model) const {
  auto const all = statuses();
  auto const found = all.find(model);
  return found == all.end() ? "" : found->second;
}

bool RealRouter::becomes(std::string const& model, std::string const& wanted) const {
  return eventually([&] { return status(model) == wanted; });
}

std::vector<std::string> RealRouter::loaded() const {
  std::vector<std::string> found;
  for (auto const& [model, value] : statuses()) {
    if (value != "unloaded") found.push_back(model);
  }
  return found;
}

pid_t RealRouter::child(std::string const& model) const {
  using namespace std::string_literals;
  for (auto const& entry : fs::directory_iterator("/proc")) {
    auto const is_process = std::isdigit(entry.path().filename().string().front()) != 0;
    if (!is_process || parent_of(entry.path()) != server_->pid()) continue;
    auto const line = text_of(entry.path() / "cmdline");
    if (line.find("\0--alias\0"s + model + "\0"s) != std::string::npos)
      return std::stoi(entry.path().filename());
  }
  throw std::runtime_error("no process of " + model);
}

void RealRouter::kill_child(std::string const& model) const {
  ::kill(child(model), SIGKILL);
}

std::vector<std::string> RealRouter::lines(std::string const& part) const {
  std::vector<std::string> found;
  std::istringstream all(server_->log());
  for (std::string line; std::getline(all, line);) {
    // Those of its children begin with their port.
    if (!line.starts_with("[") && line.find(part) != std::string::npos) found.push_back(line);
  }
  return found;
}

std::size_t RealRouter::evictions() const {
  return lines(makes_way).size() + lines(removed).size();
}

std::size_t RealRouter::unloads() const {
  return lines(ordered_to_go).size() - lines(removed).size();
}

std::string RealRouter::changes() const {
  std::string text;
  for (auto const& line : lines(" name=")) text += line + '\n';
  return text;
}

Reply RealRouter::chat(std::string const& model, std::string const& text) const {
  return test::chat(port(), "", user_says(text), model_member(model));
}

}  // namespace slotswap::test
