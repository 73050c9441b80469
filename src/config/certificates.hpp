// Files of certificates and keys: whether a start could use them.
#pragma once

#include "reader.hpp"

#include <slotswap/tls/context.hpp>

namespace slotswap::config {

/// `section`: the map that names them. Complains where the file stands.
template <class Files>
void check_certificates(Section const& section, Files const& files) {
  tls::Context unused;
  if (auto const problem = tls::load(files, unused))
    section.error(section.place_of(problem->key), problem->key, problem->what);
}

}  // namespace slotswap::config
