// What a start finds. In doubt a file is neither a state nor a leftover: it is not offered to the
// server, and nobody removes it.
#include "looks.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace slotswap::store {
namespace {

constexpr std::int64_t ns_in_ms = 1'000'000;

/// The files that carry one session's name.
struct Group {
  std::vector<std::string> data;
  bool manifest = false;
};
using Groups = std::map<StateKey, Group>;

void sort_names(std::vector<std::string> names, Groups& groups, Scan& scan) {
  for (auto& name : names) {
    if (auto data = parse_data_name(name)) {
      scan.last_generation = later_generation(scan.last_generation, data->generation);
      groups[std::move(data->key)].data.push_back(std::move(name));
    } else if (auto key = parse_manifest_name(name)) {
      groups[std::move(*key)].manifest = true;
    } else if (is_unfinished_manifest(name)) {
      scan.unfinished.push_back(std::move(name));
    }
  }
}

/// One data file and one manifest: whether they belong together is asked at the first look-up.
void list_state(FileSystem& files, Folders const& folders, StateKey const& key,
                std::string const& data, Scan& scan) {
  auto const info = plain_file(files, in(folders.data, data), data);
  auto const written = files.stat(manifest_path(folders, key));
  for (auto const& result : {info, written}) {
    if (result) continue;
    // Gone since the listing: its removal goes on without us.
    if (result.error().code != "missing") scan.problems.push_back(result.error().detail);
    return;
  }
  scan.listed.emplace_back(key, parse_data_name(data)->generation, info->bytes,
                           written->mtime_ns / ns_in_ms);
}

void read_state(FileSystem& files, Folders const& folders, StateKey const& key, Group& group,
                Scan& scan) {
  auto manifest = read_manifest(files, folders, key);
  if (!manifest) {
    if (manifest.error().code != "missing") scan.problems.push_back(manifest.error().detail);
    return;
  }
  auto const generation = parse_data_name(manifest->data)->generation;
  scan.last_generation = later_generation(scan.last_generation, generation);
  std::erase(group.data, manifest->data);
  std::move(group.data.begin(), group.data.end(), std::back_inserter(scan.unnamed));
  scan.states.push_back(std::move(*manifest));
}

}  // namespace

base::Result<Scan> scan(FileSystem& files, Folders const& folders) {
  Scan scan;
  Groups groups;
  auto names = files.list(folders.state);
  if (!names) return names.error();
  sort_names(std::move(*names), groups, scan);
  if (folders.visible() && folders.data != folders.state) {
    auto data = files.list(folders.data);
    if (!data) return data.error();
    sort_names(std::move(*data), groups, scan);
  }
  for (auto& [key, group] : groups) {
    std::sort(group.data.begin(), group.data.end());
    if (!group.manifest) {
      std::move(group.data.begin(), group.data.end(), std::back_inserter(scan.unnamed));
    } else if (group.data.size() == 1) {
      list_state(files, folders, key, group.data.front(), scan);
    } else if (!group.data.empty() || !folders.visible()) {
      read_state(files, folders, key, group, scan);
    }
    // A manifest alone: its data was deleted, or is on a disk that is not there yet. It stays.
  }
  return scan;
}

}  // namespace slotswap::store
