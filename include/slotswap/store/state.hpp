// A saved state: its names on disk and its manifest (docs/state-format.md).
// Plain values, pure functions.
#pragma once

#include <slotswap/base/fault.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace slotswap::store {

/// Whose state: the model's tag and the session's id, both safe in a file name.
struct StateKey {
  StateKey() = default;
  StateKey(std::string tag_, std::string id_) : tag(std::move(tag_)), id(std::move(id_)) {}
  auto operator<=>(StateKey const&) const = default;
  std::string text() const { return tag + "_" + id; }
  std::string tag;
  std::string id;  // 32 lowercase hex digits
};

/// TAG_ID-GEN.bin; GEN is a number in lowercase hex without leading zeros, never used twice.
std::string data_name(StateKey const& key, std::uint64_t generation);
/// TAG_ID.json, whose rename into place is the only commit.
std::string manifest_name(StateKey const& key);
/// TAG_ID.json.new, which a commit writes before that.
std::string unfinished_name(StateKey const& key);

/// The higher of two generations, unless no clock reaches it: a stray name must not end the count.
std::uint64_t later_generation(std::uint64_t last, std::uint64_t seen);

struct DataName {
  StateKey key;
  std::uint64_t generation = 0;
};
/// None for a name that is not ours.
std::optional<DataName> parse_data_name(std::string_view name);
std::optional<StateKey> parse_manifest_name(std::string_view name);
/// TAG_ID.bin.
std::string foreign_name(StateKey const& key);
/// TAG_ID.bin, as others that save slots name their files; never ours.
std::optional<StateKey> parse_foreign_name(std::string_view name);
bool is_unfinished_manifest(std::string_view name);

struct Manifest {
  int format = 1;
  StateKey key;
  std::string data;         // file name in the same folder
  std::string model;        // as the server named it
  std::string fingerprint;  // opaque here; empty: not known
  std::int64_t tokens = 0;
  std::uint64_t bytes = 0;
  std::int64_t mtime_ns = 0;
  std::optional<std::string> checksum;  // XXH3 of the data, 128 bits as 32 hex digits
  std::string prompt_digest;            // 16 hex digits; empty: not known
  /// The server, as it ran then, that refused the file; empty: none did. Opaque here.
  std::string refused_by;
  std::int64_t created = 0;  // milliseconds since the epoch, as the two below
  std::int64_t saved = 0;
  std::int64_t last_used = 0;
  std::uint64_t uses = 0;
};

/// What the names, sizes and times of files tell of a state.
struct Listed {
  Listed() = default;
  Listed(StateKey key_, std::uint64_t generation_, std::uint64_t bytes_, std::int64_t last_used_)
      : key(std::move(key_)), generation(generation_), bytes(bytes_), last_used(last_used_) {}
  StateKey key;
  std::uint64_t generation = 0;
  std::uint64_t bytes = 0;
  std::int64_t last_used = 0;  // milliseconds since the epoch: when its manifest was written
};

inline constexpr std::uint64_t manifest_limit = 64 * 1024;  // bytes of text
/// One line. `set_aside`: why it was put into quarantine, where it was.
std::string to_json(Manifest const& manifest, std::string_view set_aside = {});
/// Faults with code "bad_manifest": over manifest_limit, not JSON, another format version, a member
/// that is absent or of another type, a data name that is not the key's own, numbers out of range.
/// Unknown members are ignored.
base::Result<Manifest> from_json(std::string_view text, StateKey const& key);

}  // namespace slotswap::store
