// The order of the steps is the whole point here, and docs/state-format.md says what a crash
// between any two leaves.
#include "looks.hpp"

#include <slotswap/store/folder.hpp>

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

base::Result<void> sync_data(FileSystem& files, std::string const& folder,
                             Manifest const& manifest) {
  auto synced = files.sync_file(in(folder, manifest.data));
  // The server's umask may keep its files from us; they must be durable all the same.
  if (!synced && synced.error().code == "unreadable") return files.sync_file_system(folder);
  return synced;
}

/// The folder is synced before the rename too: else a crash could keep the rename and lose the
/// data's own name.
base::Result<void> prepare(FileSystem& files, std::string const& folder, Manifest const& manifest,
                           std::string const& text) {
  auto const beside = in(folder, unfinished_name(manifest.key));
  if (auto synced = sync_data(files, folder, manifest); !synced) return synced;
  // An earlier commit may have ended here, and O_EXCL would refuse forever.
  if (auto removed = files.remove(beside); !removed) return removed;
  if (auto written = files.write_new(beside, text); !written) return written;
  return files.sync_folder(folder);
}

/// A rename over a network may be done and still be told as failed, when the answer was lost.
base::Result<void> rename_manifest(FileSystem& files, std::string const& folder,
                                   StateKey const& key, std::string const& text) {
  auto const place = in(folder, manifest_name(key));
  auto renamed = files.rename(in(folder, unfinished_name(key)), place);
  if (renamed) return renamed;
  auto const now = files.read(place, manifest_limit);
  if (now && *now == text) return {};
  if (now || now.error().code == "missing") return renamed;
  return base::Fault(base::Side::us, "uncertain",
                     renamed.error().detail + "; then " + now.error().detail +
                         ": whether the old or the new state stands is not known");
}

}  // namespace

base::Result<void> check_saved(FileSystem& files, std::string const& folder, Manifest& manifest) {
  auto const info = look(files, folder, manifest);
  if (info) {
    manifest.mtime_ns = info->mtime_ns;
    return {};
  }
  if (info.error().code != "missing") return info.error();
  return base::Fault(base::Side::server, "missing",
                     "the server says it saved " + manifest.data + ", but it is not in " + folder +
                         ": the server writes to another folder (its --slot-save-path) than the "
                         "one seen here (save_path)");
}

base::Result<Committed> commit(FileSystem& files, std::string const& folder,
                               Manifest const& manifest, std::string const& replaced) {
  auto const old = parse_data_name(replaced);
  if (!replaced.empty() && (!old || old->key != manifest.key)) {
    return mistake("'" + replaced + "' is not a data file of " + manifest.key.text());
  }
  auto const text = checked_text(manifest);
  if (!text) return text.error();
  auto done = prepare(files, folder, manifest, *text);
  if (done) done = rename_manifest(files, folder, manifest.key, *text);
  if (!done) {
    // What cannot be removed here is removed by the next commit or recovery.
    (void)files.remove(in(folder, unfinished_name(manifest.key)));
    return done.error();
  }
  if (auto const synced = files.sync_folder(folder); !synced) {
    return Committed{synced.error().detail + (replaced.empty() ? "" : "; " + replaced + " stays")};
  }
  if (replaced.empty() || replaced == manifest.data) return Committed{};
  auto const removed = files.remove(in(folder, replaced));
  return Committed{removed ? std::string() : removed.error().detail};
}

base::Result<void> remove_state(FileSystem& files, std::string const& folder,
                                Manifest const& manifest) {
  auto const data = parse_data_name(manifest.data);
  if (!data || data->key != manifest.key) {
    return mistake("'" + manifest.data + "' is not a data file of " + manifest.key.text());
  }
  auto const place = in(folder, manifest_name(manifest.key));
  auto const text = files.read(place, manifest_limit);
  if (!text && text.error().code != "missing") return text.error();
  auto const now = from_json(text ? *text : std::string(), manifest.key);
  if (!now || now->data == manifest.data) {
    if (auto removed = files.remove(place); !removed) return removed;
    // Else a crash could lose the data and keep the manifest.
    if (auto synced = files.sync_folder(folder); !synced) return synced;
  }
  return files.remove(in(folder, manifest.data));
}

}  // namespace slotswap::store
