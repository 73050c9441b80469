#include "torture_run/damage.hpp"

#include <sys/mount.h>

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace slotswap::torture {
namespace {

constexpr char const* options = "size=128m,mode=0700";

std::string mount_at(std::filesystem::path const& folder) {
  if (::geteuid() != 0) return "only root can mount a small disk";
  if (::unshare(CLONE_NEWNS) != 0) return std::string("unshare: ") + std::strerror(errno);
  // Else the machine would see it as well.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("tmpfs", folder.c_str(), "tmpfs", 0, options) != 0)
    return std::string("mount: ") + std::strerror(errno);
  return "";
}

}  // namespace

SmallDisk::SmallDisk(std::filesystem::path folder, std::string why_not)
    : folder_(std::move(folder)), filler_(folder_ / "filler"), why_not_(std::move(why_not)) {
  std::filesystem::create_directories(folder_);
  if (why_not_.empty()) why_not_ = mount_at(folder_);
}

SmallDisk::~SmallDisk() {
  if (why_not_.empty()) ::umount2(folder_.c_str(), MNT_DETACH);
}

void SmallDisk::fill(std::size_t but) const {
  int const file = ::open(filler_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  static std::array<char, 65'536> const bytes{};
  off_t written = 0;
  for (std::size_t piece = bytes.size(); piece > 0;) {
    auto const done = ::write(file, bytes.data(), piece);
    if (done > 0) written += done;
    if (done < 0) piece /= 2;
  }
  auto const left = static_cast<off_t>(but);
  if (left > 0 && left < written) static_cast<void>(::ftruncate(file, written - left));
  ::close(file);
}

void SmallDisk::free() const {
  ::unlink(filler_.c_str());
}

}  // namespace slotswap::torture
