// What slotswap leaves in its folder, as a test reads and forges it.
#pragma once

#include "sim/house.hpp"

#include <slotswap/session/session.hpp>
#include <slotswap/store/file_system.hpp>
#include <slotswap/store/slot_book.hpp>
#include <slotswap/store/state.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace slotswap::test {

inline std::string read_file(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void write_file(std::filesystem::path const& path, std::string const& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

/// The key of a client's session on the simulated model.
inline store::StateKey key_of(std::string const& session) {
  return {session::model_tag("sim"), session::state_id(session)};
}

inline std::filesystem::path state_file(TempDir const& folder) {
  return folder.path() / store::slot_book_name;
}

/// Its text, which a test may put in its place as it is.
inline std::string state_text(TempDir const& folder) {
  auto const board = store::posix_file_system()->open_board(state_file(folder).string());
  auto const text = board ? (*board)->read() : base::Result<std::string>(board.error());
  return text ? *text : std::string();
}

inline store::SlotBook read_book(TempDir const& folder) {
  auto book = store::slot_book_from_json(state_text(folder));
  return book ? std::move(*book) : store::SlotBook();
}

/// What the state file says of the one slot.
inline std::optional<store::SlotRecord> noted(TempDir const& folder) {
  auto const book = read_book(folder);
  auto const place = book.slots.find({"main", 0});
  return place == book.slots.end() ? std::nullopt : std::optional(place->second);
}

/// True once it names the session with an answer that no save has seen yet: it is written a moment
/// after that answer.
inline bool noted_dirty(TempDir const& folder, std::string const& session) {
  return eventually([&] {
    auto const record = noted(folder);
    return record && record->key == key_of(session).text() && record->dirty;
  });
}

inline std::filesystem::path manifest_path(TempDir const& folder, std::string const& session) {
  return folder.path() / store::manifest_name(key_of(session));
}

inline std::optional<store::Manifest> manifest_of(TempDir const& folder,
                                                  std::string const& session) {
  auto manifest = store::from_json(read_file(manifest_path(folder, session)), key_of(session));
  return manifest ? std::optional(std::move(*manifest)) : std::nullopt;
}

/// Names of data and manifests of one session.
inline std::size_t files_of(House const& house, std::string const& session) {
  std::size_t count = 0;
  for (auto const* ending : {".bin", ".json"}) {
    for (auto const& name : house.files(ending)) {
      if (name.find(session::state_id(session)) != std::string::npos) ++count;
    }
  }
  return count;
}

inline std::size_t slot_calls(llama_sim::Book const& book) {
  std::size_t count = 0;
  for (auto const* action : {"save", "restore", "erase"})
    count += book.count("POST", std::string("/slots/0?action=") + action);
  return count;
}

inline std::size_t saves(llama_sim::Book const& book) {
  return book.count("POST", "/slots/0?action=save");
}

}  // namespace slotswap::test
