// States as the tests of this room use them.
#pragma once

#include <slotswap/store/state.hpp>

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
  manifest.prompt_digest = "feed";
  manifest.created = 1'793'000'000;
  manifest.saved = 1'793'000'100;
  manifest.last_used = 1'793'000'200;
  manifest.uses = 3;
  return manifest;
}

}  // namespace slotswap::store
