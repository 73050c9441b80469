// Keeps the state file: what each slot of a folder's servers holds, so that a restart of slotswap
// loses nothing. Written at once and not synced: a kill leaves the old or the new text, and one of
// before a crash of the machine is told by its boot. Loop thread; a write is a few microseconds.
#pragma once

#include <slotswap/store/file_system.hpp>
#include <slotswap/store/slot_book.hpp>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slotswap::swap {

class BookKeeper {
 public:
  /// `folder` is the state_dir; empty: nothing is kept.
  BookKeeper(std::shared_ptr<store::FileSystem> files, std::string folder);

  /// Reads what the last run left. Blocks for one small file.
  void open();
  bool has(std::string const& server, int slot) const {
    return left_.slots.contains({server, slot});
  }
  /// Whether it noted anything of a server whose name begins so.
  bool has_any_of(std::string const& begin) const {
    auto const place = left_.slots.lower_bound({begin, 0});
    return place != left_.slots.end() && place->first.first.starts_with(begin);
  }
  /// What the last run noted of this slot; only once.
  std::optional<store::SlotRecord> take(std::string const& server, int slot);
  /// What it holds now; none: nothing that a restart could believe. Writes when that is news.
  void note(std::string const& server, int slot, std::optional<store::SlotRecord> record);
  /// A save is done and its commit under way, and then over.
  void note_save(store::Manifest const& manifest);
  void note_committed(store::Manifest const& manifest);
  /// It is a state no more: a restart must not make it one again.
  void retract(store::Manifest const& manifest);
  /// Saves of the last run that were not committed; only once, and only on the same boot.
  std::vector<store::Manifest> take_saves();

 private:
  base::Result<std::string> read();
  void write();
  std::string path() const { return folder_ + "/" + store::slot_book_name; }

  std::shared_ptr<store::FileSystem> files_;
  std::string folder_;
  std::unique_ptr<store::Board> board_;
  store::SlotBook left_;  // by the last run, and not asked for yet
  store::SlotBook book_;
  std::set<std::string> in_file_saves_;  // data names of saves that the file may list
  bool complained_ = false;
};

}  // namespace slotswap::swap
