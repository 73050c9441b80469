// Folders of saved states: whether this process can use one, and who else could.
#pragma once

#include "reader.hpp"

#include <sys/types.h>

#include <string>
#include <string_view>

namespace slotswap::config {

/// What a folder's mode means for the states in it; empty: nothing to say.
struct ModeWords {
  std::string error;
  std::string warning;
};

/// For a process that runs as `euid`. Pure.
ModeWords judge_mode(mode_t mode, uid_t owner, uid_t euid);

/// Reads the key of a folder, which may be an empty text for none. Looks at the folder on disk;
/// answers whether nothing is wrong with it, which is so of a key that is not there.
bool read_folder(Section const& section, std::string_view key, std::string& out);

}  // namespace slotswap::config
