// What each slot held when slotswap last looked, as it stands in the state file: a restart believes
// it only where the server still shows all of it (docs/state-format.md). Plain values, pure.
#pragma once

#include <slotswap/store/state.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace slotswap::store {

struct SlotRecord {
  bool operator==(SlotRecord const&) const = default;
  std::string marker;       // media_marker of the server's process
  std::string fingerprint;  // of what it served
  std::string key;          // TAG_ID, whose prompt cache it is
  std::int64_t task = 0;    // the stamp
  std::int64_t tokens = 0;
  bool dirty = false;   // has had a request since its last save
  bool savable = true;  // false: never written to disk
  std::string route;    // whose settings it is saved by
  std::string model;    // as the server names it
  std::string prompt_digest;
};

struct SlotBook {
  /// By the server's name in the configuration and the slot's number. A slot of which nothing is
  /// known has no record.
  std::map<std::pair<std::string, int>, SlotRecord> slots;
  /// Saves that the server has done and that no manifest in the folder names yet, by session. True
  /// only on the machine's run of this boot: nothing of them was synced.
  std::map<StateKey, Manifest> saves;
  std::string boot;
};

inline constexpr char slot_book_name[] = "slotswap.slots";
inline constexpr char lock_name[] = "slotswap.lock";

std::string to_json(SlotBook const& book);
/// Code "bad_slot_book": nothing of it is believed then.
base::Result<SlotBook> slot_book_from_json(std::string_view text);

}  // namespace slotswap::store
