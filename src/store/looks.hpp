// What is asked of a data file before it is believed, and the ways to a file by its name.
#pragma once

#include <slotswap/store/folder.hpp>

namespace slotswap::store {

inline std::string in(std::string const& folder, std::string const& name) {
  return folder + "/" + name;
}

inline std::string data_path(Folders const& folders, Manifest const& manifest) {
  return in(folders.data, manifest.data);
}

inline std::string manifest_path(Folders const& folders, StateKey const& key) {
  return in(folders.state, manifest_name(key));
}

/// A regular file with one link. A second link would let somebody change the data under another
/// name, and a symbolic link lead the server out of the folder.
inline base::Result<FileInfo> plain_file(FileSystem& files, std::string const& path,
                                         std::string const& name) {
  auto const info = files.stat(path);
  if (!info) return info.error();
  if (!info->regular)
    return base::Fault(base::Side::server, "not_plain", name + " is not a regular file");
  if (info->links != 1) {
    return base::Fault(base::Side::server, "not_plain",
                       name + " has " + std::to_string(info->links) + " links");
  }
  return *info;
}

inline std::string wrong_size(Manifest const& manifest, std::uint64_t bytes) {
  return manifest.data + " has " + std::to_string(bytes) + " bytes, not " +
         std::to_string(manifest.bytes);
}

/// A session's manifest: code "missing", "disk" or "bad_manifest".
inline base::Result<Manifest> read_manifest(FileSystem& files, Folders const& folders,
                                            StateKey const& key) {
  auto const text = files.read(manifest_path(folders, key), manifest_limit);
  if (!text) return text.error();
  auto manifest = from_json(*text, key);
  if (manifest) return manifest;
  auto fault = manifest.error();
  fault.detail = manifest_name(key) + ": " + fault.detail;
  return fault;
}

}  // namespace slotswap::store
