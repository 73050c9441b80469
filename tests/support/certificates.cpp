#include "support/certificates.hpp"

#include <cstdlib>
#include <stdexcept>

namespace slotswap::test {
namespace {

void openssl(std::string const& arguments) {
  auto const command = "openssl " + arguments + " >/dev/null 2>&1";
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
}

constexpr std::string_view new_key =
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
constexpr std::string_view new_weak_key = "req -x509 -newkey rsa:1024 -nodes -days 2";

}  // namespace

Authority::Authority() {
  openssl(std::string(new_key) + " -subj /CN=authority -keyout " + folder_.file("ca.key") +
          " -out " + file());
}

Certificate Authority::issue_with(std::string_view new_key_words, std::string const& name,
                                  std::string const& subject) {
  auto const number = std::to_string(issued_++);
  Certificate made{folder_.file(number + ".pem"), folder_.file(number + ".key")};
  openssl(std::string(new_key_words) + " -subj /CN=" + subject + " -CA " + file() + " -CAkey " +
          folder_.file("ca.key") + " -addext basicConstraints=critical,CA:FALSE" +
          " -addext subjectAltName=" + name + " -keyout " + made.key_file + " -out " + made.file);
  return made;
}

Certificate Authority::issue(std::string const& name, std::string const& subject) {
  return issue_with(new_key, name, subject);
}

Certificate Authority::issue_weak(std::string const& name) {
  return issue_with(new_weak_key, name, "weak");
}

}  // namespace slotswap::test
