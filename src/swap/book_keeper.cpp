#include <slotswap/net/blocking.hpp>
#include <slotswap/swap/book_keeper.hpp>
#include <slotswap/telemetry/log.hpp>

#include <utility>

namespace slotswap::swap {

namespace {

using telemetry::Level;
using telemetry::Line;

constexpr std::uint64_t longest_book = 4ULL * 1024 * 1024;
constexpr char boot_id[] = "/proc/sys/kernel/random/boot_id";

}  // namespace

BookKeeper::BookKeeper(net::Loop& loop, net::TaskGroup& tasks,
                       std::shared_ptr<store::FileSystem> files, std::string folder)
    : loop_(loop), tasks_(tasks), files_(std::move(files)), folder_(std::move(folder)) {}

void BookKeeper::open() {
  if (folder_.empty()) return;
  // Where the machine does not tell its boots apart, nothing unsynced is believed.
  auto const boot = files_->read(boot_id, 64);
  if (boot) book_.boot = *boot;
  auto const text = files_->read(folder_ + "/" + store::slot_book_name, longest_book);
  if (!text && text.error().code == "missing") return;
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
  changed();
}

void BookKeeper::note_save(store::Manifest const& manifest) {
  if (folder_.empty()) return;
  book_.saves.insert_or_assign(manifest.key, manifest);
  changed();
}

// Not worth a write of its own: a restart finds the same manifest in its place.
void BookKeeper::note_committed(store::Manifest const& manifest) {
  auto const place = book_.saves.find(manifest.key);
  if (place != book_.saves.end() && place->second.data == manifest.data) book_.saves.erase(place);
}

void BookKeeper::retract(store::Manifest const& manifest) {
  note_committed(manifest);
  if (in_file_saves_.count(manifest.data) > 0) changed();
}

std::vector<store::Manifest> BookKeeper::take_saves() {
  std::vector<store::Manifest> saves;
  for (auto const& [key, manifest] : std::exchange(left_.saves, {})) saves.push_back(manifest);
  return saves;
}

// On the loop's next turn: what is noted together is written together.
void BookKeeper::changed() {
  ++noted_;
  if (std::exchange(writing_, true)) return;
  loop_.post([this] { tasks_.spawn("state file", write()); });
}

net::awaitable<void> BookKeeper::written() {
  while (writing_) {
    net::Signal done(loop_);
    waiting_.insert(&done);
    co_await done.wait();
  }
}

net::awaitable<void> BookKeeper::write() {
  while (in_file_ != noted_) {
    auto const version = noted_;
    in_file_saves_.clear();
    for (auto const& [key, save] : book_.saves) in_file_saves_.insert(save.data);
    auto work = [files = files_, path = folder_ + "/" + store::slot_book_name,
                 text = store::to_json(book_)] { return files->replace_text(path, text); };
    auto const written = co_await net::run_blocking(loop_, std::move(work));
    in_file_ = version;
    if (written.has_value()) continue;
    // An old text would be worse than none: a restart must not believe it.
    auto drop = [files = files_, path = folder_ + "/" + store::slot_book_name] {
      return files->remove(path);
    };
    co_await net::run_blocking(loop_, std::move(drop));
    if (std::exchange(complained_, true)) continue;
    Line(Level::warning, "store")
        .field("folder", folder_)
        .say("the state file cannot be written, so a restart will not know what the slots hold: " +
             written.error().detail);
  }
  writing_ = false;
  for (auto* signal : std::exchange(waiting_, {})) signal->notify();
}

}  // namespace slotswap::swap
