#include "support/child_process.hpp"

#include "support/wait.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

namespace slotswap::test {
namespace {

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

}  // namespace

ChildProcess::~ChildProcess() {
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void ChildProcess::start(std::vector<std::string> command, std::string const& log_file) {
  std::vector<char*> arguments;
  for (auto& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int const log = ::open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  exit_code_.reset();
  pid_t const parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) become(arguments.data(), log, parent);
  ::close(log);
  if (pid_ < 0) throw std::runtime_error("fork failed");
}

bool ChildProcess::ended_within(Milliseconds time) {
  return eventually(
      [this] {
        int status = 0;
        if (pid_ > 0 && ::waitpid(pid_, &status, WNOHANG) == pid_) {
          pid_ = -1;
          if (WIFEXITED(status)) exit_code_ = WEXITSTATUS(status);
        }
        return pid_ <= 0;
      },
      time);
}

void ChildProcess::send(int signal) const {
  if (pid_ > 0) ::kill(pid_, signal);
}

void ChildProcess::stop(int signal, Milliseconds patience) {
  send(signal);
  if (ended_within(patience)) return;
  send(SIGKILL);
  ended_within(patience);
}

}  // namespace slotswap::test
