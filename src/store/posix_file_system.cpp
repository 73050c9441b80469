// The real disk. Names are opened without following links and never block on a FIFO that somebody
// put in our folder. After a failed fsync the kernel may call the lost pages clean, so it is never
// tried again: the save is given up.
#include "board.hpp"

#include <slotswap/base/text.hpp>
#include <slotswap/store/file_system.hpp>

#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace slotswap::store {
namespace {

constexpr int for_reading = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
constexpr int for_folder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

base::Fault fault(char const* call, std::string const& path, int error) {
  auto text = std::string(call) + " " + path + ": " + std::generic_category().message(error);
  if (error == ELOOP) text += " (a link is not followed)";
  auto const full = error == ENOSPC || error == EDQUOT;
  auto const* const code = error == ENOENT ? "missing" : full ? "full" : "disk";
  return {base::Side::us, code, std::move(text)};
}

base::Fault open_fault(std::string const& path) {
  auto const error = errno;
  auto refused = fault("open", path, error);
  if (error == EACCES || error == EPERM) refused.code = "unreadable";
  return refused;
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

std::string digest_text(XXH128_hash_t hash) {
  XXH128_canonical_t bytes{};
  XXH128_canonicalFromHash(&bytes, hash);
  return base::to_hex(bytes.digest);
}

/// The lock goes with the open file.
class PosixLock : public FileLock {
 public:
  explicit PosixLock(int number) : file_(number) {}

 private:
  Descriptor file_;
};

class PosixBoard : public Board {
 public:
  PosixBoard(int number, std::string path) : file_(number), path_(std::move(path)) {}

  base::Result<std::string> read() override {
    auto const all = read_all();
    if (!all) return all.error();
    auto const view = std::string_view(*all);
    auto const first = from_half(view);
    auto const second =
        view.size() > half_bytes ? from_half(view.substr(half_bytes)) : std::nullopt;
    auto const& later = second && (!first || second->number > first->number) ? second : first;
    if (!later) return view.starts_with('\0') ? std::string() : *all;
    number_ = later->number;
    return later->text;
  }

  base::Result<void> write(std::string const& text) override {
    auto const bytes = to_half(Half(number_ + 1, text));
    if (!bytes)
      return base::Fault(base::Side::us, "disk", "write " + path_ + ": the text is too long");
    ++number_;
    auto left = std::string_view(*bytes);
    auto place = static_cast<off_t>(number_ % 2 == 1 ? 0 : half_bytes);
    while (!left.empty()) {
      auto const size = again_when_interrupted(
          [&] { return ::pwrite(file_.number(), left.data(), left.size(), place); });
      if (size == -1) return fault("write", path_, errno);
      left.remove_prefix(static_cast<std::size_t>(size));
      place += size;
    }
    return {};
  }

 private:
  base::Result<std::string> read_all() {
    std::string all(2 * half_bytes, '\0');
    std::size_t size = 0;
    for (;;) {
      auto const got = again_when_interrupted([&] {
        return ::pread(file_.number(), all.data() + size, all.size() - size,
                       static_cast<off_t>(size));
      });
      if (got == -1) return fault("read", path_, errno);
      if (got == 0) break;
      size += static_cast<std::size_t>(got);
    }
    all.resize(size);
    return all;
  }

  Descriptor file_;
  std::string path_;
  std::uint64_t number_ = 0;
};

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

  base::Result<std::string> read_head(std::string const& path, std::size_t bytes) override {
    auto const file = open_file(path, for_reading);
    if (!file) return open_fault(path);
    if (auto const regular = expect_regular(file, path); !regular) return regular.error();
    std::string text(bytes, '\0');
    auto const got =
        again_when_interrupted([&] { return ::read(file.number(), text.data(), text.size()); });
    if (got == -1) return fault("read", path, errno);
    text.resize(static_cast<std::size_t>(got));
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
    if (!file) return open_fault(path);
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

  base::Result<void> make_folder(std::string const& path) override {
    if (::mkdir(path.c_str(), 0700) == 0) return {};
    auto const error = errno;
    struct stat info {};
    // A link in its place would lead what is moved there somewhere else.
    if (error == EEXIST && ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return {};
    return fault("mkdir", path, error);
  }

  base::Result<std::unique_ptr<Board>> open_board(std::string const& path) override {
    auto file = open_file(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (!file) return fault("open", path, errno);
    if (auto const regular = expect_regular(file, path); !regular) return regular.error();
    return std::unique_ptr<Board>(std::make_unique<PosixBoard>(file.release(), path));
  }

  base::Result<std::string> digest(std::string const& path) override {
    auto const file = open_file(path, for_reading);
    if (!file) return open_fault(path);
    if (auto const regular = expect_regular(file, path); !regular) return regular.error();
    std::vector<char> piece(1024 * 1024);
    std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                   &XXH3_freeState);
    if (!state || XXH3_128bits_reset(state.get()) != XXH_OK) throw std::bad_alloc();
    for (;;) {
      auto const got =
          again_when_interrupted([&] { return ::read(file.number(), piece.data(), piece.size()); });
      if (got == -1) return fault("read", path, errno);
      if (got == 0) break;
      XXH3_128bits_update(state.get(), piece.data(), static_cast<std::size_t>(got));
    }
    return digest_text(XXH3_128bits_digest(state.get()));
  }

  base::Result<std::string> real_path(std::string const& path) override {
    std::unique_ptr<char, decltype(&::free)> const found(::realpath(path.c_str(), nullptr),
                                                         &::free);
    if (!found) return fault("realpath", path, errno);
    return std::string(found.get());
  }

  base::Result<std::uint64_t> free_bytes(std::string const& folder) override {
    struct statvfs info {};
    if (again_when_interrupted([&] { return ::statvfs(folder.c_str(), &info); }) != 0) {
      return fault("statvfs", folder, errno);
    }
    return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
  }

  base::Result<std::unique_ptr<FileLock>> lock(std::string const& path) override {
    auto file = open_file(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (!file) return fault("open", path, errno);
    if (again_when_interrupted([&] { return ::flock(file.number(), LOCK_EX | LOCK_NB); }) != 0) {
      auto const error = errno;
      auto refused = fault("flock", path, error);
      if (error == EWOULDBLOCK) refused.code = "held";
      return refused;
    }
    return std::unique_ptr<FileLock>(std::make_unique<PosixLock>(file.release()));
  }
};

}  // namespace

std::unique_ptr<FileSystem> posix_file_system() {
  return std::make_unique<PosixFileSystem>();
}

}  // namespace slotswap::store
