#include "support/real_server.hpp"

#include "support/http_client.hpp"

#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace slotswap::test {
namespace {

using Clock = std::chrono::steady_clock;

// Loading takes well under a second; a build beside the tests can make it many.
constexpr Milliseconds start_patience{60'000};
constexpr Milliseconds stop_patience{20'000};

std::string environment(char const* name) {
  char const* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Only calls that are safe between fork and exec of a threaded program.
[[noreturn]] void become(char* const* arguments, int log, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(126);
  ::setpgid(0, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  int const nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, 0);
  ::dup2(log, 1);
  ::dup2(log, 2);
  // The test's sockets must close when the test closes them.
  ::close_range(3, ~0U, 0);
  ::execv(arguments[0], arguments);
  ::_exit(127);
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

void pause(Milliseconds time) {
  ::poll(nullptr, 0, static_cast<int>(time.count()));
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

RealServer::~RealServer() {
  if (pid_ <= 0) return;
  // A router's models are its group.
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

std::vector<std::string> RealServer::command_line() const {
  // One thread: ggml's threads spin while they wait for each other, which a busy machine punishes.
  std::vector<std::string> line{environment("SLOTSWAP_REAL_LLAMA"),
                                "--host",
                                "127.0.0.1",
                                "--port",
                                std::to_string(port_),
                                "--threads",
                                "1",
                                "--parallel",
                                std::to_string(options_.slots),
                                "--ctx-size",
                                std::to_string(options_.context),
                                "--slot-save-path",
                                slot_dir_.string(),
                                "--cache-ram",
                                "0",
                                "--no-ui"};
  if (!options_.model.empty()) {
    line.emplace_back("--model");
    line.push_back(model_path(options_.model));
  }
  line.insert(line.end(), options_.args.begin(), options_.args.end());
  return line;
}

void RealServer::spawn() {
  auto line = command_line();
  std::vector<char*> arguments;
  for (auto& word : line) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int const log =
      ::open(home_.file("log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  pid_t const parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) become(arguments.data(), log, parent);
  ::close(log);
  if (pid_ < 0) throw std::runtime_error("fork failed");
}

bool RealServer::wait_until_healthy() {
  auto const deadline = Clock::now() + start_patience;
  Milliseconds wait{5};
  while (Clock::now() < deadline) {
    if (!running()) return false;
    if (is_healthy(port_)) return running();
    pause(wait);
    wait = std::min(wait * 2, Milliseconds{100});
  }
  kill(SIGKILL);
  return false;
}

std::string RealServer::log() const {
  std::ifstream file(home_.file("log"));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool RealServer::running() {
  return !ended_within(Milliseconds{0});
}

bool RealServer::ended_within(Milliseconds time) {
  auto const deadline = Clock::now() + time;
  while (pid_ > 0) {
    if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = -1;
    } else if (Clock::now() >= deadline) {
      return false;
    } else {
      pause(Milliseconds{5});
    }
  }
  return true;
}

void RealServer::kill(int signal) {
  if (pid_ <= 0) return;
  ::kill(pid_, signal);
  if (signal == SIGSTOP || signal == SIGCONT) return;
  if (ended_within(stop_patience)) return;
  ::kill(pid_, SIGKILL);
  ended_within(stop_patience);
}

void RealServer::restart() {
  kill(SIGKILL);
  spawn();
  if (!wait_until_healthy())
    throw std::runtime_error("llama-server does not start again: " + log());
}

}  // namespace slotswap::test
