// Certificates from files, as listeners and servers take them at the start and on a reload.
#pragma once

#include <slotswap/base/fault.hpp>
#include <slotswap/tls/context.hpp>

namespace slotswap::net {

/// Faults: tls, the file and why; then `context` is as it was.
template <class Files>
base::Result<void> load_certificates(Files const& files, tls::Context& context) {
  auto const problem = tls::load(files, context);
  if (!problem) return {};
  return base::Fault(base::Side::us, "tls", "`" + problem->key + "`: " + problem->what);
}

}  // namespace slotswap::net
