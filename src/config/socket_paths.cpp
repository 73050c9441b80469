#include "socket_paths.hpp"

#include "reader.hpp"

#include <sys/stat.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace slotswap::config {

std::optional<std::string> problem_of_own_socket(std::string const& path) {
  auto const end = path.rfind('/');
  auto const folder = end == 0 ? std::string("/") : path.substr(0, end);
  struct stat about {};
  if (::stat(folder.c_str(), &about) != 0)
    return "the folder " + shown(folder) + " cannot be used: " + std::strerror(errno);
  if (!S_ISDIR(about.st_mode)) return shown(folder) + " is no folder";
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    return "the folder " + shown(folder) +
           " cannot be written by this process: " + std::strerror(errno);
  }
  return problem_of_socket(path);
}

std::optional<std::string> problem_of_socket(std::string const& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) == 0 && !S_ISSOCK(about.st_mode))
    return shown(path) + " is no socket";
  return std::nullopt;
}

}  // namespace slotswap::config
