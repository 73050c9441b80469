// Folders of saved states: whether this process can use one.
#pragma once

#include "reader.hpp"

#include <string>
#include <string_view>

namespace slotswap::config {

/// Reads the key of a folder, which may be an empty text for none. Looks at the folder on disk;
/// answers whether nothing is wrong with it, which is so of a key that is not there.
bool read_folder(Section const& section, std::string_view key, std::string& out);

}  // namespace slotswap::config
