// The real disk. Names are opened without following links and never block on a FIFO that somebody
// put in our folder. After a failed fsync the kernel may call the lost pages clean, so it is never
// tried again: the save is given up.
#include <slotswap/store/file_system.hpp>

#include <sys/stat.h>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

namespace slotswap::store {
namespace {

constexpr int for_reading = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
constexpr int for_folder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

base::Fault fault(char const* call, std::string const& path, int error) {
  auto text = std::string(call) + " " + path + ": " + std::generic_category().message(error);
  if (error == ELOOP) text += " (a link is not followed)";
  return {base::Side::us, error == ENOENT ? "missing" : "disk", std::move(text)};
}

template <class Call>
auto again_when_interrupted(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;
  ~Descriptor() {
    if (number_ != -1) ::close(number_);
  }

  explicit operator bool() const { return number_ != -1; }
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

  /// False with errno set. Linux gives the number back whatever close says, so it is called once.
  bool close() { return ::close(release()) == 0 || errno == EINTR; }

 private:
  int number_;
};

Descriptor open_file(std::string const& path, int flags, mode_t mode = 0) {
  return Descriptor(again_when_interrupted([&] { return ::open(path.c_str(), flags, mode); }));
}

bool sync(Descriptor const& file) {
  return again_when_interrupted([&] { return ::fsync(file.number()); }) == 0;
}

/// The file's size.
base::Result<std::uint64_t> expect_regular(Descriptor const& file, std::string const& path) {
  struct stat info {};
  if (::fstat(file.number(), &info) != 0) return fault("fstat", path, errno);
  if (!S_ISREG(info.st_mode)) {
    return base::Fault(base::Side::us, "disk", "open " + path + ": not a regular file");
  }
  return static_cast<std::uint64_t>(info.st_size);
}

bool write_all(Descriptor const& file, std::string_view text) {
  while (!text.empty()) {
    auto const size =
        again_when_interrupted([&] { return ::write(file.number(), text.data(), text.size()); });
    if (size == -1) return false;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

class PosixFileSystem : public FileSystem {
 public:
  base::Result<std::vector<std::string>> list(std::string const& folder) override {
    auto file = open_file(folder, for_folder);
    if (!file) return fault("open", folder, errno);
    auto* const stream = ::fdopendir(file.number());
    if (stream == nullptr) return fault("fdopendir", folder, errno);
    file.release();
    std::vector<std::string> names;
    errno = 0;
    while (auto const* const entry = ::readdir(stream)) {
      auto const name = std::string_view(entry->d_name);
      if (name != "." && name != "..") names.emplace_back(name);
      errno = 0;
    }
    auto const error = errno;
    ::closedir(stream);
    if (error != 0) return fault("readdir", folder, error);
    return names;
  }

  base::Result<FileInfo> stat(std::string const& path) override {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) return fault("lstat", path, errno);
    return FileInfo{static_cast<std::uint64_t>(info.st_size),
                    std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec,
                    std::uint64_t{info.st_nlink}, S_ISREG(info.st_mode)};
  }

  base::Result<std::string> read(std::string const& path, std::uint64_t limit) override {
    auto const file = open_file(path, for_reading);
    if (!file) return fault("open", path, errno);
    auto const bytes = expect_regular(file, path);
    if (!bytes) return bytes.error();
    // One byte more, to see the end of a file that has not grown meanwhile.
    std::string text(static_cast<std::size_t>(std::min(*bytes, limit)) + 1, '\0');
    std::size_t size = 0;
    while (size <= limit) {
      if (size == text.size()) text.resize(static_cast<std::size_t>(limit) + 1);
      auto const got = again_when_interrupted(
          [&] { return ::read(file.number(), text.data() + size, text.size() - size); });
      if (got == -1) return fault("read", path, errno);
      if (got == 0) break;
      size += static_cast<std::size_t>(got);
    }
    if (size > limit) {
      return base::Fault(base::Side::us, "disk",
                         "read " + path + ": more than " + std::to_string(limit) + " bytes");
    }
    text.resize(size);
    return text;
  }

  base::Result<void> write_new(std::string const& path, std::string const& text) override {
    auto file = open_file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (!file) return fault("open", path, errno);
    auto const* const failed = !write_all(file, text) ? "write"
                               : !sync(file)          ? "fsync"
                               : !file.close()        ? "close"
                                                      : nullptr;
    if (failed == nullptr) return {};
    auto const error = errno;
    ::unlink(path.c_str());
    return fault(failed, path, error);
  }

  base::Result<void> sync_file(std::string const& path) override {
    auto const file = open_file(path, for_reading);
    if (!file) {
      auto const error = errno;
      auto refused = fault("open", path, error);
      if (error == EACCES || error == EPERM) refused.code = "unreadable";
      return refused;
    }
    if (auto const regular = expect_regular(file, path); !regular) return regular.error();
    if (!sync(file)) return fault("fsync", path, errno);
    return {};
  }

  base::Result<void> sync_folder(std::string const& folder) override {
    auto const file = open_file(folder, for_folder);
    if (!file) return fault("open", folder, errno);
    // EINVAL: a file system that has no such thing, where this is all that can be had.
    if (!sync(file) && errno != EINVAL) return fault("fsync", folder, errno);
    return {};
  }

  base::Result<void> sync_file_system(std::string const& folder) override {
    auto const file = open_file(folder, for_folder);
    if (!file) return fault("open", folder, errno);
    if (again_when_interrupted([&] { return ::syncfs(file.number()); }) != 0) {
      return fault("syncfs", folder, errno);
    }
    return {};
  }

  base::Result<void> rename(std::string const& from, std::string const& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0) return fault("rename", from + " to " + to, errno);
    return {};
  }

  base::Result<void> remove(std::string const& path) override {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return fault("unlink", path, errno);
    return {};
  }
};

}  // namespace

std::unique_ptr<FileSystem> posix_file_system() {
  return std::make_unique<PosixFileSystem>();
}

}  // namespace slotswap::store
