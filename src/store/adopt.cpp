// Taking over what another program had the server save in this folder.
#include "looks.hpp"

#include <algorithm>
#include <cstring>

namespace slotswap::store {
namespace {

// Little endian, six words: "ggsq", the version, a count of words, then -1, 1 and the number of
// tokens.
constexpr std::size_t head_words = 6;
constexpr std::uint32_t slot_magic = 0x67677371;
constexpr std::uint32_t known_version = 4;

std::uint32_t word(std::string const& head, std::size_t place) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    auto const byte = static_cast<unsigned char>(head[place * sizeof value + i]);
    value |= static_cast<std::uint32_t>(byte) << (8U * i);
  }
  return value;
}

base::Fault not_known(std::string const& path, std::string const& why) {
  return {base::Side::us, "bad_save", path + " is no slot file that is known here: " + why};
}

/// A state of ours whose data is there: it is newer than what others left.
bool has_state(FileSystem& files, Folders const& folders, StateKey const& key) {
  auto const known = read_manifest(files, folders, key);
  return known && files.stat(data_path(folders, *known)).has_value();
}

}  // namespace

base::Result<std::vector<StateKey>> foreign_files(FileSystem& files, Folders const& folders,
                                                  std::string const& tag) {
  auto const names = files.list(folders.data);
  if (!names) return names.error();
  std::vector<StateKey> keys;
  for (auto const& name : *names) {
    auto key = parse_foreign_name(name);
    if (key && key->tag == tag) keys.push_back(std::move(*key));
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

base::Result<std::int64_t> tokens_of(FileSystem& files, std::string const& path) {
  auto const head = files.read_head(path, head_words * sizeof(std::uint32_t));
  if (!head) return head.error();
  if (head->size() < head_words * sizeof(std::uint32_t)) return not_known(path, "it is too short");
  if (word(*head, 0) != slot_magic) return not_known(path, "it does not begin as one");
  if (word(*head, 1) != known_version)
    return not_known(path, "its version is " + std::to_string(word(*head, 1)));
  auto const tokens = static_cast<std::int32_t>(word(*head, 5));
  if (word(*head, 3) != ~std::uint32_t{0} || word(*head, 4) != 1)
    return not_known(path, "its tokens have another form");
  if (tokens <= 0) return not_known(path, "it holds no tokens");
  return tokens;
}

base::Result<Manifest> adopt(FileSystem& files, Folders const& folders, StateKey const& foreign,
                             Manifest manifest, bool with_checksum) {
  auto const name = foreign_name(foreign);
  auto const path = in(folders.data, name);
  if (has_state(files, folders, manifest.key)) {
    return base::Fault(base::Side::us, "exists",
                       name + " stays: slotswap has a state of this session already");
  }
  auto const info = plain_file(files, path, name);
  if (!info) return info.error();
  auto const tokens = tokens_of(files, path);
  if (!tokens) return tokens.error();
  manifest.bytes = info->bytes;
  manifest.mtime_ns = info->mtime_ns;
  manifest.tokens = *tokens;
  if (with_checksum) {
    auto const digest = files.digest(path);
    if (!digest) return digest.error();
    manifest.checksum = *digest;
  }
  if (auto synced = files.sync_file(path); !synced) return synced.error();
  auto const noted = rewrite(files, folders, manifest);
  if (!noted) return noted.error();
  if (auto moved = files.rename(path, data_path(folders, manifest)); !moved) return moved.error();
  if (auto synced = files.sync_folder(folders.data); !synced) return synced.error();
  return manifest;
}

}  // namespace slotswap::store
