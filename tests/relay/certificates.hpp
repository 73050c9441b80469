// Certificates of an authority of the test's own, made by the openssl program as the test runs.
#pragma once

#include "support/temp_dir.hpp"

#include <string>

namespace slotswap::test {

struct Certificate {
  std::string file;
  std::string key_file;
};

class Authority {
 public:
  // Throws std::runtime_error where there is no openssl program.
  Authority();
  [[nodiscard]] std::string file() const { return folder_.file("ca.pem"); }
  // For one subject alternative name, as in "IP:127.0.0.1" or "DNS:host".
  Certificate issue(std::string const& name);

 private:
  TempDir folder_;
};

}  // namespace slotswap::test
