#include "support/real_server.hpp"

#include "support/http_client.hpp"
#include "support/wait.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace slotswap::test {
namespace {

// Loading takes well under a second; a build beside the tests can make it many.
constexpr Milliseconds start_patience{60'000};

std::string environment(char const* name) {
  char const* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_healthy(std::uint16_t port) {
  try {
    RawClient client(port, Milliseconds{2'000});
    client.send(make_request("GET", "/health"));
    return read_answer(client).status == 200;
  } catch (std::runtime_error const&) {
    return false;
  }
}

}  // namespace

std::uint16_t free_port() {
  int const fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  bool const bound = ::bind(fd, reinterpret_cast<sockaddr const*>(&address), size) == 0 &&
                     ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(fd);
  if (!bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

std::string RealServer::unavailable() {
  auto const reason = environment("SLOTSWAP_REAL_SKIP");
  if (!reason.empty()) return reason;
  if (environment("SLOTSWAP_REAL_LLAMA").empty() || environment("SLOTSWAP_REAL_MODELS").empty()) {
    return "SLOTSWAP_REAL_LLAMA and SLOTSWAP_REAL_MODELS are not set (tools/test sets them)";
  }
  return "";
}

std::string RealServer::model_path(std::string const& name) {
  return environment("SLOTSWAP_REAL_MODELS") + "/" + name + ".gguf";
}

RealServer::RealServer(RealServerOptions options) : options_(std::move(options)) {
  slot_dir_ = options_.slot_dir.value_or(home_.path() / "slots");
  std::filesystem::create_directories(slot_dir_);
  // Another process may take a free port before the server does.
  for (int attempt = 0; attempt < 3; ++attempt) {
    port_ = free_port();
    spawn();
    if (wait_until_healthy()) return;
  }
  throw std::runtime_error("llama-server does not start: " + log());
}

std::vector<std::string> RealServer::command_line() const {
  // One thread: ggml's threads spin while they wait for each other, which a busy machine punishes.
  auto line = options_.wrapper;
  std::vector<std::string> const own{environment("SLOTSWAP_REAL_LLAMA"),
                                     "--host",
                                     "127.0.0.1",
                                     "--port",
                                     std::to_string(port_),
                                     "--threads",
                                     "1",
                                     "--no-ui"};
  line.insert(line.end(), own.begin(), own.end());
  if (!options_.model.empty()) {
    std::vector<std::string> const single{"--parallel",  std::to_string(options_.slots),
                                          "--ctx-size",  std::to_string(options_.context),
                                          "--cache-ram", "0",
                                          "--model",     model_path(options_.model)};
    line.insert(line.end(), single.begin(), single.end());
  }
  if (options_.can_save) {
    line.emplace_back("--slot-save-path");
    line.push_back(slot_dir_.string());
  }
  line.insert(line.end(), options_.args.begin(), options_.args.end());
  return line;
}

void RealServer::spawn() {
  child_.start(command_line(), home_.file("log"));
}

bool RealServer::wait_until_healthy() {
  bool healthy = false;
  auto const settled = [&] {
    healthy = running() && is_healthy(port_);
    return healthy || !running();
  };
  if (!eventually(settled, start_patience)) kill(SIGKILL);
  return healthy && running();
}

std::string RealServer::log() const {
  std::ifstream file(home_.file("log"));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void RealServer::kill(int signal) {
  if (signal == SIGSTOP || signal == SIGCONT) return child_.send(signal);
  child_.stop(signal);
}

void RealServer::restart() {
  kill(SIGKILL);
  spawn();
  if (!wait_until_healthy())
    throw std::runtime_error("llama-server does not start again: " + log());
}

}  // namespace slotswap::test
