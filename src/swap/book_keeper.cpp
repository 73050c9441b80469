#include <slotswap/swap/book_keeper.hpp>
#include <slotswap/telemetry/log.hpp>

#include <utility>

namespace slotswap::swap {

namespace {

using telemetry::Level;
using telemetry::Line;

constexpr char boot_id[] = "/proc/sys/kernel/random/boot_id";

}  // namespace

BookKeeper::BookKeeper(std::shared_ptr<store::FileSystem> files, std::string folder)
    : files_(std::move(files)), folder_(std::move(folder)) {}

base::Result<std::string> BookKeeper::read() {
  auto board = files_->open_board(path());
  if (!board) return board.error();
  board_ = std::move(*board);
  return board_->read();
}

void BookKeeper::open() {
  if (folder_.empty()) return;
  // Where the machine does not tell its boots apart, nothing unsynced is believed.
  auto const boot = files_->read(boot_id, 64);
  if (boot) book_.boot = *boot;
  auto const text = read();
  if (text && text->empty()) return;
  auto book =
      text ? store::slot_book_from_json(*text) : base::Result<store::SlotBook>(text.error());
  if (book) {
    // Nothing of it was synced: after a crash of the machine an older text may stand there.
    if (book_.boot.empty() || book->boot != book_.boot) return;
    left_ = *book;
    book_.slots = std::move(book->slots);
    book_.saves = std::move(book->saves);
    for (auto const& [key, save] : book_.saves) in_file_saves_.insert(save.data);
    return;
  }
  Line(Level::warning, "store")
      .field("folder", folder_)
      .say("what the slots hold is not known: " + book.error().detail);
}

std::optional<store::SlotRecord> BookKeeper::take(std::string const& server, int slot) {
  auto const place = left_.slots.find({server, slot});
  if (place == left_.slots.end()) return std::nullopt;
  auto record = std::move(place->second);
  left_.slots.erase(place);
  return record;
}

void BookKeeper::note(std::string const& server, int slot,
                      std::optional<store::SlotRecord> record) {
  if (folder_.empty()) return;
  auto const place = book_.slots.find({server, slot});
  auto const known = place != book_.slots.end();
  if (record ? known && place->second == *record : !known) return;
  if (record) {
    book_.slots.insert_or_assign({server, slot}, std::move(*record));
  } else {
    book_.slots.erase(place);
  }
  write();
}

void BookKeeper::note_save(store::Manifest const& manifest) {
  if (folder_.empty()) return;
  book_.saves.insert_or_assign(manifest.key, manifest);
  write();
}

// Not worth a write of its own: a restart finds the same manifest in its place.
void BookKeeper::note_committed(store::Manifest const& manifest) {
  auto const place = book_.saves.find(manifest.key);
  if (place != book_.saves.end() && place->second.data == manifest.data) book_.saves.erase(place);
}

void BookKeeper::retract(store::Manifest const& manifest) {
  note_committed(manifest);
  if (in_file_saves_.count(manifest.data) > 0) write();
}

std::vector<store::Manifest> BookKeeper::take_saves() {
  std::vector<store::Manifest> saves;
  for (auto const& [key, manifest] : std::exchange(left_.saves, {})) saves.push_back(manifest);
  return saves;
}

void BookKeeper::write() {
  in_file_saves_.clear();
  for (auto const& [key, save] : book_.saves) in_file_saves_.insert(save.data);
  auto written = base::Result<void>();
  if (!board_) {
    auto board = files_->open_board(path());
    if (board) board_ = std::move(*board);
    if (!board) written = board.error();
  }
  if (board_) written = board_->write(store::to_json(book_));
  if (written) return;
  // An old text would be worse than none: a restart must not believe it.
  board_.reset();
  (void)files_->remove(path());
  if (std::exchange(complained_, true)) return;
  Line(Level::warning, "store")
      .field("folder", folder_)
      .say("the state file cannot be written, so a restart will not know what the slots hold: " +
           written.error().detail);
}

}  // namespace slotswap::swap
