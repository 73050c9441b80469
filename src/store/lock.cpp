#include "looks.hpp"

#include <slotswap/store/slot_book.hpp>

#include <set>

namespace slotswap::store {

base::Result<Locks> lock(FileSystem& files, Folders const& folders) {
  Locks locks;
  // In one order, so that two that start together cannot hold one each.
  for (auto const& folder : std::set<std::string>{folders.data, folders.state}) {
    if (folder.empty()) continue;
    auto taken = files.lock(in(folder, lock_name));
    if (!taken) return taken.error();
    locks.push_back(std::move(*taken));
  }
  return locks;
}

}  // namespace slotswap::store
