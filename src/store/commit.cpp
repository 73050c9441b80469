// The order of the steps is the whole point here, and docs/state-format.md says what a crash
// between any two leaves.
#include "looks.hpp"

namespace slotswap::store {
namespace {

base::Fault mistake(std::string const& what) {
  return {base::Side::us, "bad_manifest", what};
}

/// A manifest that could not be read back would lose the state at the next start.
base::Result<std::string> checked_text(Manifest const& manifest) {
  auto text = to_json(manifest);
  auto const back = from_json(text, manifest.key);
  if (!back) return back.error();
  return text;
}

base::Result<void> sync_data(FileSystem& files, Folders const& folders, Manifest const& manifest,
                             Committed& committed) {
  if (!folders.visible()) return {};
  auto synced = files.sync_file(data_path(folders, manifest));
  if (synced || synced.error().code != "unreadable") return synced;
  // The server's umask may keep its files from us; they must be durable all the same.
  committed.unreadable = true;
  return files.sync_file_system(folders.data);
}

/// What cannot be read has no checksum; what is read with an error is not a save.
base::Result<void> take_checksum(FileSystem& files, Folders const& folders, Manifest& manifest,
                                 Committed& committed) {
  if (!folders.visible() || committed.unreadable) return {};
  auto const digest = files.digest(data_path(folders, manifest));
  if (!digest) return digest.error();
  manifest.checksum = committed.checksum = *digest;
  return {};
}

/// The folders are synced before the rename too: else a crash could keep the rename and lose the
/// data's own name.
base::Result<void> write_beside(FileSystem& files, Folders const& folders, StateKey const& key,
                                std::string const& text) {
  auto const beside = in(folders.state, unfinished_name(key));
  // An earlier commit may have ended here, and O_EXCL would refuse forever.
  if (auto removed = files.remove(beside); !removed) return removed;
  if (auto written = files.write_new(beside, text); !written) return written;
  if (folders.visible() && folders.data != folders.state) {
    if (auto synced = files.sync_folder(folders.data); !synced) return synced;
  }
  return files.sync_folder(folders.state);
}

/// A rename over a network may be done and still be told as failed, when the answer was lost.
base::Result<void> rename_manifest(FileSystem& files, Folders const& folders, StateKey const& key,
                                   std::string const& text) {
  auto const place = manifest_path(folders, key);
  auto renamed = files.rename(in(folders.state, unfinished_name(key)), place);
  if (renamed) return renamed;
  auto const now = files.read(place, manifest_limit);
  if (now && *now == text) return {};
  if (now || now.error().code == "missing") return renamed;
  return base::Fault(base::Side::us, "uncertain",
                     renamed.error().detail + "; then " + now.error().detail +
                         ": whether the old or the new state stands is not known");
}

base::Result<void> put_in_place(FileSystem& files, Folders const& folders,
                                Manifest const& manifest) {
  auto const text = checked_text(manifest);
  if (!text) return text.error();
  auto done = write_beside(files, folders, manifest.key, *text);
  if (done) done = rename_manifest(files, folders, manifest.key, *text);
  // What cannot be removed here is removed by the next commit or recovery.
  if (!done) (void)files.remove(in(folders.state, unfinished_name(manifest.key)));
  return done;
}

/// The last steps; `committed` gets what went wrong.
void finish(FileSystem& files, Folders const& folders, std::string const& data,
            std::vector<std::string> const& replaced, Committed& committed) {
  if (auto const synced = files.sync_folder(folders.state); !synced) {
    committed.problem = synced.error().detail;
    for (auto const& old : replaced) committed.problem += "; " + old + " stays";
    return;
  }
  if (!folders.visible()) return;
  for (auto const& old : replaced) {
    if (old == data) continue;
    auto const removed = files.remove(in(folders.data, old));
    if (!removed) committed.problem = removed.error().detail;
  }
}

}  // namespace

base::Result<void> check_saved(FileSystem& files, Folders const& folders, Manifest& manifest) {
  auto const info = plain_file(files, data_path(folders, manifest), manifest.data);
  if (info && info->bytes == manifest.bytes) {
    manifest.mtime_ns = info->mtime_ns;
    return {};
  }
  if (info) return base::Fault(base::Side::server, "bad_save", wrong_size(manifest, info->bytes));
  auto const& fault = info.error();
  if (fault.code == "not_plain") return base::Fault(fault.side, "bad_save", fault.detail);
  if (fault.code != "missing") return fault;
  return base::Fault(base::Side::server, "missing",
                     "the server says it saved " + manifest.data + ", but it is not in " +
                         folders.data +
                         ": the server writes to another folder (its --slot-save-path) than the "
                         "one seen here (save_path)");
}

base::Result<Committed> commit(FileSystem& files, Folders const& folders, Manifest manifest,
                               std::vector<std::string> const& replaced, bool with_checksum) {
  for (auto const& name : replaced) {
    auto const old = parse_data_name(name);
    if (!old || old->key != manifest.key)
      return mistake("'" + name + "' is not a data file of " + manifest.key.text());
  }
  if (auto const text = checked_text(manifest); !text) return text.error();
  Committed committed;
  auto done = sync_data(files, folders, manifest, committed);
  if (done && with_checksum) done = take_checksum(files, folders, manifest, committed);
  if (done) done = put_in_place(files, folders, manifest);
  if (!done) return done.error();
  finish(files, folders, manifest.data, replaced, committed);
  return committed;
}

bool is_committed(FileSystem& files, Folders const& folders, Manifest const& manifest) {
  auto const now = read_manifest(files, folders, manifest.key);
  // The name alone may be that of an older save, where it was saved over.
  return now && now->data == manifest.data && now->saved == manifest.saved;
}

base::Result<Committed> rewrite(FileSystem& files, Folders const& folders,
                                Manifest const& manifest) {
  auto noted = manifest;
  if (!noted.checksum) {
    // Its own commit may have taken one after this was asked for.
    auto const now = read_manifest(files, folders, manifest.key);
    if (now && now->data == manifest.data) noted.checksum = now->checksum;
  }
  auto const done = put_in_place(files, folders, noted);
  if (!done) return done.error();
  Committed committed;
  finish(files, folders, manifest.data, {}, committed);
  return committed;
}

}  // namespace slotswap::store
