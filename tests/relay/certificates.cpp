#include "relay/certificates.hpp"

#include <cstdlib>
#include <stdexcept>

namespace slotswap::test {
namespace {

void openssl(std::string const& arguments) {
  auto const command = "openssl " + arguments + " >/dev/null 2>&1";
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
}

constexpr char const* new_key =
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";

}  // namespace

Authority::Authority() {
  openssl(std::string(new_key) + " -subj /CN=authority -keyout " + folder_.file("ca.key") +
          " -out " + file());
}

Certificate Authority::issue(std::string const& name) {
  Certificate made{folder_.file("server.pem"), folder_.file("server.key")};
  openssl(std::string(new_key) + " -subj /CN=server -CA " + file() + " -CAkey " +
          folder_.file("ca.key") + " -addext basicConstraints=critical,CA:FALSE" +
          " -addext subjectAltName=" + name + " -keyout " + made.key_file + " -out " + made.file);
  return made;
}

}  // namespace slotswap::test
