#include "folders.hpp"

#include <sys/stat.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

namespace slotswap::config {
namespace {

constexpr mode_t everyone = 0007;

std::string octal(mode_t mode) {
  std::array<char, 16> text{};
  auto const end = std::to_chars(text.data(), text.data() + text.size(), mode & 07777U, 8).ptr;
  std::string const digits(text.data(), end);
  return std::string(4 - digits.size(), '0') + digits;
}

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
  auto const words = judge_mode(about.st_mode, about.st_uid, ::geteuid());
  if (!words.warning.empty()) section.warning(place, key, shown(path) + " " + words.warning);
  if (!words.error.empty()) section.error(place, key, shown(path) + " " + words.error);
  return words.error.empty();
}

}  // namespace

ModeWords judge_mode(mode_t mode, uid_t owner, uid_t euid) {
  ModeWords words;
  if ((mode & S_ISVTX) != 0 && euid != 0 && euid != owner) {
    words.error = "is sticky (mode " + octal(mode) +
                  "): this process could not remove the server's files there; chmod -t it, and "
                  "let it belong to the server's user and a group that both share, mode 2770";
  }
  if ((mode & everyone) != 0) {
    words.warning = "is open to everyone (mode " + octal(mode) +
                    "): everyone on the machine could read the conversations; chmod o-rwx it";
  }
  return words;
}

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
