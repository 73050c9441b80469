// How a state goes: for good, or into quarantine. The manifest goes first, so that no crash leaves
// one without its data.
#include "looks.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace slotswap::store {
namespace {

base::Fault mistake(Manifest const& manifest) {
  return {base::Side::us, "bad_manifest",
          "'" + manifest.data + "' is not a data file of " + manifest.key.text()};
}

bool own(Manifest const& manifest) {
  auto const data = parse_data_name(manifest.data);
  return data && data->key == manifest.key;
}

/// From here on it is a state no more. One that names other data stays.
base::Result<void> remove_manifest(FileSystem& files, Folders const& folders,
                                   Manifest const& manifest) {
  auto const now = read_manifest(files, folders, manifest.key);
  if (now && now->data != manifest.data) return {};
  if (!now && now.error().code == "disk") return now.error();
  if (auto removed = files.remove(manifest_path(folders, manifest.key)); !removed) return removed;
  // Else a crash could lose the data and keep the manifest.
  return files.sync_folder(folders.state);
}

std::string quarantine_of(Folders const& folders) {
  return in(folders.data, "quarantine");
}

/// Of what is set aside, the manifests tell the order; data without one is from a move that was
/// cut.
base::Result<void> thin_out(FileSystem& files, std::string const& folder) {
  auto names = files.list(folder);
  if (!names) return names.error();
  std::vector<std::pair<std::int64_t, std::string>> aside;
  for (auto const& name : *names) {
    auto const info = files.stat(in(folder, name));
    if (info && parse_data_name(name)) {
      auto const noted = files.stat(in(folder, name + ".json"));
      aside.emplace_back(noted ? noted->mtime_ns : 0, name);
    } else if (info && name.ends_with(".bin.json")) {
      auto const data = name.substr(0, name.size() - 5);
      if (!files.stat(in(folder, data))) aside.emplace_back(0, data);
    }
  }
  std::sort(aside.begin(), aside.end());
  for (std::size_t i = 0; i + quarantine_keeps < aside.size(); ++i) {
    for (auto const* const ending : {"", ".json"}) {
      auto removed = files.remove(in(folder, aside[i].second + ending));
      if (!removed) return removed;
    }
  }
  return {};
}

/// Whose file it is, by any of the names that a session's files have.
std::optional<StateKey> owner_of(std::string name) {
  constexpr std::string_view aside = ".bin.json";
  if (name.ends_with(aside)) name.resize(name.size() - (aside.size() - 4));
  if (auto data = parse_data_name(name)) return data->key;
  constexpr std::string_view unfinished = ".new";
  if (is_unfinished_manifest(name)) name.resize(name.size() - unfinished.size());
  return parse_manifest_name(name);
}

/// A missing folder has none.
base::Result<void> remove_of(FileSystem& files, std::string const& folder, std::string const& id,
                             std::string const& tag, std::size_t& count) {
  auto const names = files.list(folder);
  if (!names && names.error().code == "missing") return {};
  if (!names) return names.error();
  std::vector<std::string> going;
  for (auto const& name : *names) {
    auto const key = owner_of(name);
    if (key && key->id == id && (tag.empty() || key->tag == tag)) going.push_back(name);
  }
  // Manifests first, as everywhere.
  std::stable_partition(going.begin(), going.end(),
                        [](std::string const& name) { return !name.ends_with(".bin"); });
  for (auto const& name : going) {
    if (auto removed = files.remove(in(folder, name)); !removed) return removed;
    ++count;
  }
  return going.empty() ? base::Result<void>() : files.sync_folder(folder);
}

}  // namespace

base::Result<void> remove_state(FileSystem& files, Folders const& folders,
                                Manifest const& manifest) {
  if (!own(manifest)) return mistake(manifest);
  if (auto removed = remove_manifest(files, folders, manifest); !removed) return removed;
  if (!folders.visible()) return {};
  return files.remove(data_path(folders, manifest));
}

base::Result<void> quarantine(FileSystem& files, Folders const& folders, Manifest const& manifest,
                              std::string const& reason) {
  if (!own(manifest)) return mistake(manifest);
  if (!folders.visible()) return remove_manifest(files, folders, manifest);
  auto const folder = quarantine_of(folders);
  auto const note = in(folder, manifest.data + ".json");
  // Whatever fails here, it must not be offered again.
  auto made = files.make_folder(folder);
  if (made) made = files.remove(note);
  if (made) made = files.write_new(note, to_json(manifest, reason));
  if (auto removed = remove_manifest(files, folders, manifest); !removed) return removed;
  if (!made) return made;
  auto moved = files.rename(data_path(folders, manifest), in(folder, manifest.data));
  if (!moved && moved.error().code != "missing") return moved;
  return thin_out(files, folder);
}

base::Result<void> remove_leftover(FileSystem& files, Folders const& folders,
                                   std::string const& name) {
  auto const data = parse_data_name(name);
  if (!data) return {};
  auto const manifest = read_manifest(files, folders, data->key);
  // In doubt it stays.
  if (manifest ? manifest->data == name : manifest.error().code != "missing") return {};
  return files.remove(in(folders.data, name));
}

base::Result<std::size_t> remove_session(FileSystem& files, Folders const& folders,
                                         std::string const& id, std::string const& tag) {
  std::size_t count = 0;
  auto done = remove_of(files, folders.state, id, tag, count);
  if (done && folders.visible()) {
    if (folders.data != folders.state) done = remove_of(files, folders.data, id, tag, count);
    if (done) done = remove_of(files, quarantine_of(folders), id, tag, count);
  }
  if (!done) return done.error();
  return count;
}

}  // namespace slotswap::store
