// What scan and check_saved ask of a data file before it is believed.
#pragma once

#include <slotswap/store/file_system.hpp>
#include <slotswap/store/state.hpp>

namespace slotswap::store {

inline std::string in(std::string const& folder, std::string const& name) {
  return folder + "/" + name;
}

/// A regular file with one link, as long as the manifest says. A second link would let somebody
/// change the data under another name, and a symbolic link lead the server out of the folder.
inline base::Result<FileInfo> look(FileSystem& files, std::string const& folder,
                                   Manifest const& manifest) {
  auto const bad = [&manifest](std::string const& why) {
    return base::Fault(base::Side::server, "bad_save", manifest.data + " " + why);
  };
  auto const info = files.stat(in(folder, manifest.data));
  if (!info) return info.error();
  if (!info->regular) return bad("is not a regular file");
  if (info->links != 1) return bad("has " + std::to_string(info->links) + " links");
  if (info->bytes != manifest.bytes) {
    return bad("has " + std::to_string(info->bytes) + " bytes, not " +
               std::to_string(manifest.bytes));
  }
  return *info;
}

}  // namespace slotswap::store
