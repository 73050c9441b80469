// Files of certificates and keys: whether a start could use them.
#pragma once

#include "reader.hpp"

namespace slotswap::config {

/// `section`: the map that names them. Complains where the file stands.
void check_certificates(Section const& section, ListenTls const& files);
/// Of a server whose URL is https.
void check_certificates(Section const& section, Server const& server);

}  // namespace slotswap::config
