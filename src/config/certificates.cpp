#include "certificates.hpp"

#include <slotswap/tls/context.hpp>

namespace slotswap::config {

void check_certificates(Section const& section, ListenTls const& files) {
  tls::Context unused;
  tls::ServerFiles const used{files.cert, files.key, files.client_ca};
  if (auto const problem = tls::load(used, unused))
    section.error(section.place_of(problem->key), problem->key, problem->what);
}

void check_certificates(Section const& section, Server const& server) {
  tls::Context unused;
  tls::ClientFiles const used{server.ca_file, server.client_cert, server.client_key, server.verify};
  if (auto const problem = tls::load(used, unused))
    section.error(section.place_of(problem->key), problem->key, problem->what);
}

}  // namespace slotswap::config
