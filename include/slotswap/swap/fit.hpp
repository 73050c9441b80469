// Whether a saved state may be handed to a server as it runs now. Pure.
#pragma once

#include <slotswap/llama/facts.hpp>
#include <slotswap/store/state.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slotswap::swap {

/// What a server is, as far as it decides about states.
struct Fit {
  Fit() = default;
  std::string fingerprint;  // of the model, its adapters and the route's own text
  std::int64_t n_ctx = 0;   // tokens that its slot holds; 0: not known
  /// Build, context, slots and start of the server: what refused a file once refuses it again.
  std::string start;
};

/// What a server says of itself (docs/llama-server.md, "Fingerprint").
struct ServerFacts {
  ServerFacts() = default;
  llama::Props props;
  llama::Model model;
  std::string adapters;    // as llama::Server::adapters tells them
  std::string model_file;  // size and time of change where the file is visible here; else empty
};

/// A digest of what must be the same for a state to be restored, with the route's `fingerprint`
/// text. Build, context and slots are not in it.
std::string fingerprint_of(ServerFacts const& facts, std::string_view route_text);

/// The tag of a server's states; with `server` (not empty) only its own.
std::string tag_of(std::string const& model, std::string const& server);

Fit fit_of(ServerFacts const& facts, std::string_view route_text);

/// Why the state is not offered to that server; none: it is. Its manifest must have been read.
std::optional<std::string> unfit(store::Manifest const& state, Fit const& fit);

}  // namespace slotswap::swap
