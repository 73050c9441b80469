#include "memory_file_system.hpp"

#include <slotswap/base/text.hpp>

namespace slotswap::store {
namespace {

std::string folder_of(std::string const& path) {
  return path.substr(0, path.rfind('/'));
}
std::string base_name(std::string const& path) {
  return path.substr(path.rfind('/') + 1);
}

base::Fault fault(std::string const& code, std::string const& detail) {
  return {base::Side::us, code, detail};
}

/// Counts down; true at the chosen call and at every later one.
bool due(std::optional<std::size_t>& countdown) {
  if (!countdown) return false;
  if (*countdown == 0) return true;
  --*countdown;
  return false;
}

}  // namespace

void MemoryFileSystem::put(std::string const& path, std::string content) {
  auto file = std::make_shared<File>();
  file->content = std::move(content);
  file->mtime_ns = ++clock_ns_;
  change({{path, std::move(file)}});
}

void MemoryFileSystem::sync_all() {
  for (auto const& [path, file] : names_) file->durable = file->content;
  durable_names_ = names_;
  pending_.clear();
}

std::optional<std::string> MemoryFileSystem::content(std::string const& path) const {
  auto const found = names_.find(path);
  if (found == names_.end()) return std::nullopt;
  return found->second->content;
}

void MemoryFileSystem::crash(Crash kind, unsigned seed) {
  std::mt19937 random(seed);
  work();
  for (auto const& change : pending_) {
    auto const kept = kind == Crash::keeps_all || (kind == Crash::drops_some && random() % 2 == 0);
    if (kept) apply(change, durable_names_);
  }
  names_ = durable_names_;
  if (kind != Crash::keeps_all) {
    for (auto const& [path, file] : names_) forget(*file, kind, random);
  }
  sync_all();
}

void MemoryFileSystem::forget(File& file, Crash kind, std::mt19937& random) {
  if (file.durable == file.content) return;
  auto const fate = kind == Crash::drops_all ? 0U : random() % 4;
  if (fate == 0) file.content = file.durable.value_or("");
  if (fate == 1) file.content.resize(random() % (file.content.size() + 1));
  // Blocks that were allocated but never written.
  if (fate == 2) file.content.assign(file.content.size(), '\0');
}

void MemoryFileSystem::fail_at(std::size_t n, Failing how) {
  fail_at_ = n;
  failing_ = how;
}

void MemoryFileSystem::stop_at(std::size_t n) {
  stop_at_ = n;
}

std::optional<base::Fault> MemoryFileSystem::enter(std::string const& call,
                                                   std::string const& path) {
  if (due(stop_at_)) throw Stopped();
  calls.push_back(call + " " + base_name(path));
  if (!due(fail_at_)) return std::nullopt;
  fail_at_.reset();
  if (failing_ == Failing::full) return fault("full", call + " " + path + ": No space left");
  auto const opens = call == "sync_file" || call == "digest";
  if (failing_ == Failing::denied)
    return fault(opens ? "unreadable" : "disk", call + " " + path + ": Permission denied");
  return fault("disk", call + " " + path + ": Input/output error");
}

base::Fault MemoryFileSystem::missing(std::string const& call, std::string const& path) const {
  return fault("missing", call + " " + path + ": No such file or directory");
}

void MemoryFileSystem::apply(Change const& change, Names& names) {
  for (auto const& [path, file] : change) {
    if (file) {
      names[path] = file;
    } else {
      names.erase(path);
    }
  }
}

void MemoryFileSystem::change(Change change) {
  apply(change, names_);
  pending_.push_back(std::move(change));
}

base::Result<std::vector<std::string>> MemoryFileSystem::list(std::string const& folder) {
  if (auto failed = enter("list", folder)) return *failed;
  std::vector<std::string> names;
  for (auto const& [path, file] : names_) {
    if (folder_of(path) == folder) names.push_back(base_name(path));
  }
  return names;
}

base::Result<FileInfo> MemoryFileSystem::stat(std::string const& path) {
  if (auto failed = enter("stat", path)) return *failed;
  auto const found = names_.find(path);
  if (found == names_.end()) return missing("lstat", path);
  auto const& file = *found->second;
  return FileInfo{file.content.size(), file.mtime_ns, file.links, file.regular};
}

base::Result<std::string> MemoryFileSystem::read(std::string const& path, std::uint64_t limit) {
  if (auto failed = enter("read", path)) return *failed;
  auto const found = names_.find(path);
  if (found == names_.end()) return missing("open", path);
  auto const& file = *found->second;
  if (!file.readable) return fault("disk", "open " + path + ": Permission denied");
  if (!file.regular) return fault("disk", "open " + path + ": not a regular file");
  if (file.content.size() > limit) return fault("disk", "read " + path + ": too long");
  return file.content;
}

base::Result<std::string> MemoryFileSystem::read_head(std::string const& path, std::size_t bytes) {
  if (auto failed = enter("read_head", path)) return *failed;
  auto const found = names_.find(path);
  if (found == names_.end()) return missing("open", path);
  if (!found->second->readable) return fault("unreadable", "open " + path + ": Permission denied");
  return found->second->content.substr(0, bytes);
}

base::Result<void> MemoryFileSystem::write_new(std::string const& path, std::string const& text) {
  // Stopped here, half of it may have been written.
  if (stop_at_ == 0U && !names_.contains(path)) put(path, text.substr(0, text.size() / 2));
  auto const failed = enter("write_new", path);
  if (failed && half_written() && !names_.contains(path))
    put(path, text.substr(0, text.size() / 2));
  if (failed && !done_all_the_same()) return *failed;
  if (names_.contains(path)) return fault("disk", "open " + path + ": File exists");
  put(path, text);
  at(path).durable = text;
  if (failed) return *failed;
  return {};
}

base::Result<void> MemoryFileSystem::sync_file(std::string const& path) {
  auto const failed = enter("sync_file", path);
  if (failed && !done_all_the_same()) return *failed;
  auto const found = names_.find(path);
  if (found == names_.end()) return missing("open", path);
  auto& file = *found->second;
  if (!file.readable) return fault("unreadable", "open " + path + ": Permission denied");
  file.durable = file.content;
  if (failed) return *failed;
  return {};
}

base::Result<void> MemoryFileSystem::sync_folder(std::string const& folder) {
  auto const failed = enter("sync_folder", folder);
  if (failed && !done_all_the_same()) return *failed;
  std::vector<Change> others;
  for (auto& change : pending_) {
    if (folder_of(change.front().first) == folder) {
      apply(change, durable_names_);
    } else {
      others.push_back(std::move(change));
    }
  }
  pending_ = std::move(others);
  if (failed) return *failed;
  return {};
}

base::Result<void> MemoryFileSystem::sync_file_system(std::string const& folder) {
  auto const failed = enter("sync_file_system", folder);
  if (failed && !done_all_the_same()) return *failed;
  sync_all();
  if (failed) return *failed;
  return {};
}

base::Result<void> MemoryFileSystem::rename(std::string const& from, std::string const& to) {
  auto const failed = enter("rename", from);
  if (failed && !done_all_the_same()) return *failed;
  auto const found = names_.find(from);
  if (found == names_.end()) return missing("rename", from);
  change({{from, nullptr}, {to, found->second}});
  if (failed) return *failed;
  return {};
}

base::Result<void> MemoryFileSystem::remove(std::string const& path) {
  auto const failed = enter("remove", path);
  if (failed && !done_all_the_same()) return *failed;
  if (names_.contains(path)) change({{path, nullptr}});
  if (failed) return *failed;
  return {};
}

base::Result<void> MemoryFileSystem::make_folder(std::string const& path) {
  if (auto failed = enter("make_folder", path)) return *failed;
  return {};
}

// Nothing in the store writes one: it is the vault's.
base::Result<std::unique_ptr<Board>> MemoryFileSystem::open_board(std::string const& path) {
  return fault("disk", "open " + path + ": no boards here");
}

base::Result<std::string> MemoryFileSystem::digest(std::string const& path) {
  if (auto failed = enter("digest", path)) return *failed;
  auto const found = names_.find(path);
  if (found == names_.end()) return missing("open", path);
  if (!found->second->readable) return fault("unreadable", "open " + path + ": Permission denied");
  return base::sha256_hex(found->second->content).substr(0, 32);
}

base::Result<std::string> MemoryFileSystem::real_path(std::string const& path) {
  if (auto failed = enter("real_path", path)) return *failed;
  if (!names_.contains(path)) return missing("realpath", path);
  return path;
}

base::Result<std::uint64_t> MemoryFileSystem::free_bytes(std::string const& folder) {
  if (auto failed = enter("free_bytes", folder)) return *failed;
  return free_;
}

namespace {

class MemoryLock : public FileLock {
 public:
  MemoryLock(std::set<std::string>& locked, std::string path)
      : locked_(locked), path_(std::move(path)) {}
  ~MemoryLock() override { locked_.erase(path_); }

 private:
  std::set<std::string>& locked_;
  std::string path_;
};

}  // namespace

base::Result<std::unique_ptr<FileLock>> MemoryFileSystem::lock(std::string const& path) {
  if (auto failed = enter("lock", path)) return *failed;
  if (!locked_.insert(path).second) return fault("held", "flock " + path);
  return std::unique_ptr<FileLock>(std::make_unique<MemoryLock>(locked_, path));
}

}  // namespace slotswap::store
