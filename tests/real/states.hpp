// The folder of saved states as a test sees it: which files belong to a session, and which tokens
// are in them (llama-server's own format: magic, version, a count of words, then -1, 1, the number
// of tokens, the tokens).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace slotswap::test {

// A state that its manifest names.
struct State {
  std::string session;         // the id in its name
  std::filesystem::path data;  // the server's file
  std::int64_t tokens = 0;     // by the manifest
  std::uintmax_t bytes = 0;
};

// Every committed state. Throws std::runtime_error for a manifest whose file is gone or has another
// size.
std::vector<State> states_in(std::filesystem::path const& folder);

// Files with this ending, as in ".bin".
std::vector<std::filesystem::path> files_in(std::filesystem::path const& folder,
                                            std::string const& ending);

std::vector<std::int32_t> tokens_in(std::filesystem::path const& file);

// The same as text, by the server that listens there; a router needs a model's name.
std::string text_in(std::filesystem::path const& file, std::uint16_t server,
                    std::string const& model = "");

}  // namespace slotswap::test
