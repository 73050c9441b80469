// What a start finds. In doubt a file is neither a state nor a leftover: it is not offered to the
// server, and nobody removes it.
#include "looks.hpp"

#include <slotswap/store/folder.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace slotswap::store {
namespace {

struct Listing {
  std::vector<std::pair<std::string, DataName>> data;
  std::vector<StateKey> manifests;
};

/// What became of one manifest. `trusted`: we know which data it names, if any.
struct Read {
  std::optional<Manifest> manifest;
  bool trusted = false;
};

Listing sort_names(std::vector<std::string> names, Scan& scan) {
  std::sort(names.begin(), names.end());
  Listing listing;
  for (auto& name : names) {
    if (auto data = parse_data_name(name)) {
      scan.last_generation = later_generation(scan.last_generation, data->generation);
      listing.data.emplace_back(std::move(name), std::move(*data));
    } else if (auto key = parse_manifest_name(name)) {
      listing.manifests.push_back(std::move(*key));
    } else if (is_unfinished_manifest(name)) {
      scan.unfinished.push_back(std::move(name));
    }
  }
  return listing;
}

Read read_manifest(FileSystem& files, std::string const& folder, StateKey const& key, Scan& scan) {
  auto const name = manifest_name(key);
  auto const text = files.read(in(folder, name), manifest_limit);
  if (!text) {
    // Gone since the listing: its removal goes on without us.
    if (text.error().code != "missing") scan.problems.push_back(text.error().detail);
    return {};
  }
  auto manifest = from_json(*text, key);
  if (!manifest) {
    scan.problems.push_back(name + ": " + manifest.error().detail);
    return {};
  }
  return {std::move(*manifest), true};
}

}  // namespace

base::Result<Scan> scan(FileSystem& files, std::string const& folder) {
  auto names = files.list(folder);
  if (!names) return names.error();
  Scan scan;
  auto const listing = sort_names(std::move(*names), scan);

  std::set<std::string> named;
  std::set<StateKey> unreadable;
  for (auto const& key : listing.manifests) {
    auto read = read_manifest(files, folder, key, scan);
    if (!read.trusted) {
      unreadable.insert(key);
      continue;
    }
    named.insert(read.manifest->data);
    auto const generation = parse_data_name(read.manifest->data)->generation;
    scan.last_generation = later_generation(scan.last_generation, generation);
    auto const found = look(files, folder, *read.manifest);
    if (found) {
      scan.states.push_back(std::move(*read.manifest));
    } else {
      scan.problems.push_back(manifest_name(key) + " is not used: " + found.error().detail);
    }
  }
  for (auto const& [name, data] : listing.data) {
    if (!named.contains(name) && !unreadable.contains(data.key)) scan.unnamed.push_back(name);
  }
  return scan;
}

}  // namespace slotswap::store
