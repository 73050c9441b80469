// States as the tests of this room use them.
#pragma once

#include "memory_file_system.hpp"

#include <slotswap/store/folder.hpp>
#include <slotswap/store/state.hpp>

#include <vector>

namespace slotswap::store {

inline std::string const sample_tag = "qwen3_32b-q4-0a1b2c3d";
inline std::string const sample_id = "0123456789abcdef0123456789abcdef";
inline StateKey const sample_key{sample_tag, sample_id};

inline Manifest sample_manifest(StateKey const& key, std::uint64_t generation,
                                std::uint64_t bytes) {
  Manifest manifest;
  manifest.key = key;
  manifest.data = data_name(key, generation);
  manifest.model = "qwen3:32b-q4";
  manifest.fingerprint = "params 32000000000";
  manifest.tokens = 1500;
  manifest.bytes = bytes;
  manifest.mtime_ns = 1'793'000'000'123'456'789;
  manifest.prompt_digest = "0123456789abcdef";
  manifest.created = 1'793'000'000;
  manifest.saved = 1'793'000'100;
  manifest.last_used = 1'793'000'200;
  manifest.uses = 3;
  return manifest;
}

/// As the server leaves it: the data of a state, not synced, with the time that its manifest notes.
inline void put_data(MemoryFileSystem& files, std::string const& folder, Manifest const& manifest,
                     std::string const& content) {
  files.put(folder + "/" + manifest.data, content);
  files.set_mtime(folder + "/" + manifest.data, manifest.mtime_ns);
}

/// What a start offers to a server after it has looked, and what it says of the rest.
struct Offered {
  std::vector<Manifest> states;
  std::vector<std::string> problems;
  Scan scan;
};
inline Offered offered(FileSystem& files, Folders const& folders, bool with_checksum = false) {
  Offered offered;
  auto found = scan(files, folders);
  if (!found) {
    offered.problems.push_back(found.error().detail);
    return offered;
  }
  offered.scan = std::move(*found);
  offered.problems = offered.scan.problems;
  auto const take = [&](Look look) {
    if (look.verdict == Look::Verdict::good) {
      offered.states.push_back(std::move(look.manifest));
    } else if (!look.reason.empty()) {
      offered.problems.push_back(look.reason);
    }
  };
  for (auto const& one : offered.scan.listed)
    take(look_before_restore(files, folders, one.key, std::nullopt, with_checksum));
  for (auto const& one : offered.scan.states)
    take(look_before_restore(files, folders, one.key, one, with_checksum));
  return offered;
}

}  // namespace slotswap::store
