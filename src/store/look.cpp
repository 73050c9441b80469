// A llama-server believes any file of its form (docs/llama-server.md), so it is asked here whether
// this is the file that was saved.
#include "looks.hpp"

namespace slotswap::store {
namespace {

Look verdict(Look look, Look::Verdict verdict, std::string reason) {
  look.verdict = verdict;
  look.reason = std::move(reason);
  return look;
}

std::string other_time(Manifest const& manifest) {
  return manifest.data +
         " was changed after it was saved, or is a backup that was put back: it has no checksum to "
         "tell";
}

/// By the bytes; by size and time where they cannot be read, or none were noted.
Look compare(FileSystem& files, Folders const& folders, Look look, std::int64_t mtime_ns,
             bool with_checksum) {
  using Verdict = Look::Verdict;
  auto& manifest = look.manifest;
  auto const same_time = mtime_ns == manifest.mtime_ns;
  if (same_time && !(with_checksum && manifest.checksum)) return verdict(look, Verdict::good, {});
  if (!manifest.checksum) return verdict(look, Verdict::changed, other_time(manifest));
  auto const digest = files.digest(data_path(folders, manifest));
  if (!digest) {
    if (same_time && digest.error().code == "unreadable") return verdict(look, Verdict::good, {});
    return verdict(look, Verdict::changed, digest.error().detail);
  }
  if (*digest != *manifest.checksum) {
    return verdict(look, Verdict::damaged, manifest.data + " has other bytes than were saved");
  }
  manifest.mtime_ns = mtime_ns;
  return verdict(look, Verdict::good, {});
}

}  // namespace

Look look_before_restore(FileSystem& files, Folders const& folders, StateKey const& key,
                         std::optional<Manifest> const& known, bool with_checksum) {
  using Verdict = Look::Verdict;
  Look look;
  if (known) {
    look.manifest = *known;
  } else {
    auto manifest = read_manifest(files, folders, key);
    if (!manifest) {
      auto const& fault = manifest.error();
      return verdict(look, Verdict::gone, fault.code == "missing" ? std::string() : fault.detail);
    }
    look.manifest = std::move(*manifest);
  }
  if (!folders.visible()) return verdict(look, Verdict::good, {});
  auto const info = plain_file(files, data_path(folders, look.manifest), look.manifest.data);
  if (!info) {
    auto const& fault = info.error();
    if (fault.code == "missing") return verdict(look, Verdict::gone, {});
    return verdict(look, Verdict::changed, fault.detail);
  }
  if (info->bytes != look.manifest.bytes)
    return verdict(look, Verdict::damaged, wrong_size(look.manifest, info->bytes));
  return compare(files, folders, std::move(look), info->mtime_ns, with_checksum);
}

}  // namespace slotswap::store
