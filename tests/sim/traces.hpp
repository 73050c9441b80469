// What a House's saved states look like from outside: on its disk, in the server's book and in the
// log.
#pragma once

#include "sim/house.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace slotswap::test {

/// Anna and Ben have a hundred words each; Anna's are on disk with their manifest, Ben is in the
/// slot.
void talk(House& house);
/// Its turn, with a request that the server refuses: nothing but the swap happens to the slot, and
/// no state has to be saved after it.
Reply swap_in(House& house, std::string const& session);

/// The session's one data file in the folder; empty: none.
std::string data_of(House const& house, std::string const& session);
std::filesystem::path path_of(House const& house, std::string const& session);
/// The manifest's text; empty: none.
std::string manifest_of(House const& house, std::string const& session);
std::filesystem::path manifest_path(House const& house, std::string const& session);
bool saved(House const& house, std::string const& session);

/// How often the server was asked to restore this file.
std::size_t restores_of(House& house, std::string const& file);
/// Lines of the log that hold all of these.
std::size_t lines_with(House const& house, std::vector<std::string> const& parts);

/// One byte of the payload, which no server looks at.
void flip_byte(std::filesystem::path const& path);
/// As a backup that was put back: its time of change is another one, for certain.
void touch(std::filesystem::path const& path);

/// The proxy again with another disk under it.
void restart_on(House& house, std::shared_ptr<store::FileSystem> files);

}  // namespace slotswap::test
