// What is read of a manifest or the state file is written and read again as the same, and names no
// other session's file.
#include "fuzz/targets.hpp"

#include <slotswap/store/slot_book.hpp>
#include <slotswap/store/state.hpp>

namespace slotswap::fuzz {

namespace {

store::StateKey const& key() {
  static store::StateKey const of_seeds("tiny-0123abcd", "0123456789abcdef0123456789abcdef");
  return of_seeds;
}

void manifest(std::string_view text) {
  auto const read = store::from_json(text, key());
  if (!read) {
    require(read.error().code == "bad_manifest", "a manifest is refused by its code");
    return;
  }
  auto const name = store::parse_data_name(read->data);
  require(name && name->key == key(), "a manifest names its session's data");
  require(read->tokens > 0 && read->bytes > 0, "and what can be restored");
  auto const written = store::to_json(*read);
  auto const again = store::from_json(written, key());
  require(again && store::to_json(*again) == written, "a manifest reads back");
}

void book(std::string_view text) {
  auto const read = store::slot_book_from_json(text);
  if (!read) {
    require(read.error().code == "bad_slot_book", "a state file is refused by its code");
    return;
  }
  for (auto const& [owner, save] : read->saves) require(save.key == owner, "a save is its key's");
  auto const written = store::to_json(*read);
  auto const again = store::slot_book_from_json(written);
  require(again && store::to_json(*again) == written, "a state file reads back");
}

}  // namespace

void states(std::string_view input) {
  Input const in(input);
  if (in.option % 2U == 0) {
    manifest(in.text);
  } else {
    book(in.text);
  }
}

}  // namespace slotswap::fuzz
