// Certificates of an authority of the test's own, made by the openssl program as the test runs.
#pragma once

#include "support/temp_dir.hpp"

#include <string>
#include <string_view>

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
  // For one subject alternative name, as in "IP:127.0.0.1" or "DNS:host"; files of its own.
  Certificate issue(std::string const& name, std::string const& subject = "server");
  // The same for another key: rsa:1024 is too weak a one.
  Certificate issue_weak(std::string const& name);

 private:
  Certificate issue_with(std::string_view new_key, std::string const& name,
                         std::string const& subject);

  TempDir folder_;
  int issued_ = 0;
};

}  // namespace slotswap::test
