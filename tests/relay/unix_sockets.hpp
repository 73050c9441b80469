// Both ends of unix sockets, for tests.
#pragma once

#include "support/raw_client.hpp"

#include <string>

namespace slotswap::test {

// Throws std::runtime_error where nobody listens.
RawClient connect_unix(std::string const& path);

class UnixListener {
 public:
  // `backlog`: of callers that were not accepted.
  explicit UnixListener(std::string path, int backlog = 64);
  ~UnixListener();
  UnixListener(UnixListener const&) = delete;
  UnixListener& operator=(UnixListener const&) = delete;

  RawClient accept();
  // The file stays, as after a crash.
  void close();

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace slotswap::test
