#include "folders.hpp"

#include <sys/stat.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

namespace slotswap::config {
namespace {

// What is wrong with a folder for files that this process must list, rename and unlink.
std::optional<std::string> problem_of(std::string const& path, struct stat& about) {
  if (::stat(path.c_str(), &about) != 0)
    return "cannot be used: " + std::string(std::strerror(errno));
  if (!S_ISDIR(about.st_mode)) return "is no folder";
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    return "cannot be written by this process: " + std::string(std::strerror(errno));
  }
  return std::nullopt;
}

// With everything there is to say of it.
bool can_be_used(Section const& section, std::string_view key, std::string const& path) {
  auto const place = section.place_of(key);
  struct stat about {};
  if (auto const problem = problem_of(path, about)) {
    section.error(place, key, shown(path) + " " + *problem);
    return false;
  }
  return true;
}

}  // namespace

bool read_folder(Section const& section, std::string_view key, std::string& out) {
  std::string path;
  if (!section.text(key, path)) return !section.has(key);
  // One folder has one spelling, so that routes which share it are seen to.
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (!path.empty() && !can_be_used(section, key, path)) return false;
  out = path;
  return true;
}

}  // namespace slotswap::config
