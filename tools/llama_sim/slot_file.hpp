// A slot file in the outline of llama.cpp's own: u32 magic, u32 version, u32 words, the words (-1,
// 1, count, tokens, 0), then a payload; that of an empty slot has 36 bytes. Little endian. Blocks;
// any thread.
#pragma once

#include "llama_sim/text.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace slotswap::llama_sim {

/// Written in place, without a rename, as the real one does. The bytes that were written.
std::uint64_t write_slot_file(std::string const& path, Tokens const& tokens,
                              std::uint64_t bytes_per_token);

struct SlotFile {
  enum class Kind { fine, refused, fatal };
  Kind kind = Kind::refused;
  Tokens tokens;
  std::uint64_t bytes = 0;    // that were read: what follows the payload is not
  std::uint64_t payload = 0;  // as the file's head says
};

/// A file cut in the second half of its payload is what kills the real server. What the payload
/// holds is not looked at, as the real one does not.
SlotFile read_slot_file(std::string const& path);

}  // namespace slotswap::llama_sim
