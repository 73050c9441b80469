// Where a save goes, what it becomes, and what has to go for it.
#include "problems.hpp"

#include <slotswap/base/wall_clock.hpp>
#include <slotswap/net/blocking.hpp>
#include <slotswap/swap/vault.hpp>
#include <slotswap/telemetry/log.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace slotswap::swap {

namespace {

using telemetry::Level;
using telemetry::Line;

// How long what the disk said of its room is believed; our own saves are counted meanwhile.
constexpr auto free_is_fresh = std::chrono::seconds(10);
constexpr auto a_day = std::chrono::hours(24);
// A route's bytes a token shrink slowly: an estimate that is too small costs more than one that is
// too large.
constexpr double rate_decay = 0.9;

/// What one trip to the disk found.
struct Looked {
  base::Result<void> saved;
  std::optional<store::Look> next;
  store::Manifest manifest;
};

/// What a commit brought back from the pool.
struct Ended {
  base::Result<store::Committed> done = store::Committed();
  std::optional<std::uint64_t> free;
};

}  // namespace

// Nothing can be deleted there, so names are used in turn; never the one that holds the last good
// state.
std::string Vault::unseen_name(store::StateKey const& key) const {
  auto const current = index_.find(key);
  for (std::uint64_t generation = 0;; ++generation) {
    auto name = store::data_name(key, generation);
    if ((!current || current->data != name) && burned_.count(name) == 0) return name;
  }
}

// Until the folder is read, a clock that was set back could give a name that is there already.
net::awaitable<std::string> Vault::fresh_name(store::StateKey key) {
  for (;;) {
    auto name = store::data_name(key, index_.next_generation(base::now_microseconds()));
    if (filled_) co_return name;
    auto work = [files = files_, path = folders_.data + "/" + name] { return files->stat(path); };
    auto const there = co_await net::run_blocking(loop_, std::move(work));
    if (there.has_error()) co_return name;
  }
}

std::uint64_t Vault::estimate(store::StateKey const& key, std::int64_t tokens) const {
  auto const rate = rate_.find(key.tag);
  if (rate != rate_.end())
    return static_cast<std::uint64_t>(rate->second * static_cast<double>(tokens));
  auto const before = index_.find(key);
  return before ? before->bytes : 0;
}

// None: the disk does not tell, and nothing is held up for it.
net::awaitable<std::optional<std::uint64_t>> Vault::free_now() {
  if (free_ && loop_.now() - free_at_ < free_is_fresh) co_return free_;
  auto work = [files = files_, folder = folders_.data] { return files->free_bytes(folder); };
  auto const free = co_await net::run_blocking(loop_, std::move(work));
  free_.reset();
  if (free.has_value()) free_ = *free;
  free_at_ = loop_.now();
  co_return free_;
}

// Nothing is removed where it would not be enough.
net::awaitable<bool> Vault::make_room(std::uint64_t missing, std::set<store::StateKey> keep) {
  if (!filled_) co_return false;
  protect(keep);
  store::Limits limits;
  limits.make_room = missing;
  auto const plan = index_.plan_prune({}, limits, keep);
  std::uint64_t gain = 0;
  for (auto const& state : plan.remove) gain += state.bytes;
  if (gain < missing) co_return false;
  for (auto const& state : plan.remove) remove(state, "the disk is full");
  co_await disk_.flush();
  free_.reset();
  co_return true;
}

net::awaitable<std::string> Vault::place_for(store::StateKey key, std::int64_t tokens,
                                             Keeping keeping, std::set<store::StateKey> keep) {
  if (!visible()) {
    // Which of the two names holds the last good state stands in its manifest.
    co_await filled();
    co_return unseen_name(key);
  }
  auto const bytes = estimate(key, tokens);
  auto const need = bytes + keeping.min_free;
  auto free = co_await free_now();
  if (free && *free < need) {
    keep.insert(key);
    auto const made = co_await make_room(need - *free, std::move(keep));
    if (made) free = co_await free_now();
  }
  if (!free || *free >= need) {
    said_full_ = false;
    co_return co_await fresh_name(key);
  }
  auto const old = index_.find(key);
  if (keeping.replace_when_full && old && *free + old->bytes >= need) {
    distrusted_.insert(old->data);
    co_return old->data;
  }
  auto const reason = "the disk has " + std::to_string(*free) +
                      " bytes left, and a save of about " + std::to_string(bytes) +
                      " must leave min_free_gib (" + std::to_string(keeping.min_free) + " bytes)";
  Line(std::exchange(said_full_, true) ? Level::debug : Level::warning, "store")
      .field("folder", folder())
      .field("session", key.id)
      .say("not saved: " + reason + "; the state of before stays");
  co_return std::string();
}

// One trip to the disk for both: the state that leaves and the one that comes.
net::awaitable<base::Result<store::Manifest>> Vault::check(store::Manifest manifest,
                                                           std::optional<Next> next) {
  if (next && (unsettled_.contains(next->key) || !offers(next->key, next->fit))) next.reset();
  auto const known = next ? read_manifest(next->key) : std::nullopt;
  auto work = [files = files_, folders = folders_, manifest, next, known] {
    Looked looked;
    looked.manifest = manifest;
    looked.saved = store::check_saved(*files, folders, looked.manifest);
    if (next)
      looked.next =
          store::look_before_restore(*files, folders, next->key, known, next->with_checksum);
    return looked;
  };
  auto looked = co_await net::run_blocking(loop_, std::move(work));
  if (looked.next && looked.next->verdict == store::Look::Verdict::good) {
    auto const& fine = looked.next->manifest;
    looked_at_.insert_or_assign(fine.data, fine);
  }
  if (looked.saved.has_error()) co_return looked.saved.error();
  co_return std::move(looked.manifest);
}

// The server writes somewhere else: nothing that was found here is its.
void Vault::blind(std::string const& file) {
  Line(Level::warning, "store")
      .field("folder", folders_.data)
      .field("file", file)
      .say(
          "the server saved a file that is not under save_path here: it writes to another "
          "folder (in Docker: mount the same volume in both containers); saved states are kept "
          "but never pruned until this is mended");
  folders_.data.clear();
  index_ = store::Index();
  leftovers_.clear();
}

net::awaitable<base::Result<void>> Vault::publish(Written written, Keeping keeping,
                                                  std::optional<Next> next) {
  store::Manifest manifest;
  manifest.key = written.key;
  manifest.data = written.file;
  manifest.model = written.model;
  manifest.fingerprint = written.fingerprint;
  manifest.prompt_digest = written.prompt_digest;
  manifest.tokens = written.tokens;
  manifest.bytes = written.bytes;
  manifest.saved = manifest.last_used = base::now_milliseconds();
  book_.note_save(manifest);
  std::set<store::StateKey> keep;
  if (next) keep.insert(next->key);
  if (visible()) {
    auto checked = co_await check(manifest, std::move(next));
    if (checked.has_value()) {
      manifest = std::move(*checked);
      seen_ = true;
    } else if (checked.error().code == "missing" && !seen_) {
      blind(written.file);
    } else {
      book_.retract(manifest);
      burn(written.file);
      co_return checked.error();
    }
  }
  auto const before = index_.find(written.key);
  manifest.created = before && before->created > 0 ? before->created : manifest.saved;
  manifest.uses = before ? before->uses : 0;
  if (before) {
    distrusted_.erase(before->data);
    suspected_.erase(before->data);
  }
  if (before && before->data != manifest.data) {
    beside_[manifest.key].push_back(Beside{before->data, before->bytes});
    index_.add_beside(manifest.key.tag, before->bytes);
  }
  index_.put(manifest);
  auto& rate = rate_[manifest.key.tag];
  rate = std::max(rate * rate_decay,
                  static_cast<double>(manifest.bytes) / static_cast<double>(manifest.tokens));
  if (free_) free_ = *free_ - std::min(*free_, manifest.bytes);
  while (!writes_.empty() && writes_.front().first < loop_.now() - a_day) writes_.pop_front();
  writes_.emplace_back(loop_.now(), manifest.bytes);
  commit(manifest, before, keeping.with_checksum);
  keep.insert(written.key);
  kept_.insert_or_assign(written.key.tag, keeping);
  prune(written.key.tag, keeping, std::move(keep));
  co_return base::Result<void>();
}

void Vault::commit(store::Manifest const& manifest, std::optional<store::Manifest> before,
                   bool with_checksum) {
  std::vector<std::string> replaced;
  for (auto const& old : beside_[manifest.key]) replaced.push_back(old.data);
  auto const ended = std::make_shared<Ended>();
  auto work = [files = files_, folders = folders_, manifest, replaced, with_checksum, ended] {
    ended->done = store::commit(*files, folders, manifest, replaced, with_checksum);
    auto const free =
        folders.visible() ? files->free_bytes(folders.data) : base::Result<std::uint64_t>(0U);
    if (free && folders.visible()) ended->free = *free;
    return problem_of(ended->done);
  };
  auto then = [this, manifest, before = std::move(before), replaced, ended] {
    if (ended->free) {
      free_ = ended->free;
      free_at_ = loop_.now();
    }
    if (ended->done.has_value()) {
      committed(manifest, replaced, ended->done);
    } else if (ended->done.error().code != "uncertain") {
      commit_failed(manifest, before);
    }
  };
  disk_.add("publish " + manifest.data, std::move(work), std::move(then));
}

// The older state stands on disk. After a failed sync nobody knows what the new data is: it is
// given up, and never synced a second time.
void Vault::commit_failed(store::Manifest const& manifest,
                          std::optional<store::Manifest> const& before) {
  book_.retract(manifest);
  discard(manifest.data);
  auto const now = index_.find(manifest.key);
  auto const current = now && now->data == manifest.data;
  // A later save that is still under way would replace what is gone already.
  if (!current) take_from_beside(manifest.key, manifest.data);
  if (!current) return;
  index_.erase(manifest.key);
  auto const stands = before && take_from_beside(manifest.key, before->data);
  if (stands) index_.put(*before);
}

/// Whether it was there.
bool Vault::take_from_beside(store::StateKey const& key, std::string const& data) {
  auto const place = beside_.find(key);
  if (place == beside_.end()) return false;
  auto const old = std::find_if(place->second.begin(), place->second.end(),
                                [&](Beside const& one) { return one.data == data; });
  if (old == place->second.end()) return false;
  index_.take_beside(key.tag, old->bytes);
  place->second.erase(old);
  if (place->second.empty()) beside_.erase(place);
  return true;
}

void Vault::committed(store::Manifest const& manifest, std::vector<std::string> const& replaced,
                      base::Result<store::Committed> const& done) {
  book_.note_committed(manifest);
  if (done->problem.empty()) {
    for (auto const& data : replaced) take_from_beside(manifest.key, data);
  }
  if (done->unreadable && !std::exchange(said_unreadable_, true)) {
    Line(Level::warning, "store")
        .field("folder", folder())
        .field("file", manifest.data)
        .say(
            "the server's files cannot be read by this process (its umask?): they are made durable "
            "by syncing the whole file system, and have no checksum; start the server with umask "
            "027 and share its group");
  }
  auto now = index_.find(manifest.key);
  if (!done->checksum || !now || now->data != manifest.data) return;
  now->checksum = done->checksum;
  index_.put(*now);
}

void Vault::protect(std::set<store::StateKey>& keep) const {
  keep.insert(held_.begin(), held_.end());
  for (auto const& id : pinned_) {
    for (auto const& tag : index_.tags_of(id)) keep.emplace(tag, id);
  }
}

void Vault::prune(std::string const& tag, Keeping const& keeping, std::set<store::StateKey> keep) {
  // In which order states go is known when all are.
  if (!visible() || !filled_) return;
  protect(keep);
  auto limits = keeping.limits;
  if (keeping.max_age > base::Duration::zero()) {
    auto const age = std::chrono::duration_cast<std::chrono::milliseconds>(keeping.max_age);
    limits.oldest = std::max<std::int64_t>(base::now_milliseconds() - age.count(), 1);
  }
  auto const plan = index_.plan_prune(tag, limits, keep);
  for (auto const& state : plan.remove) {
    auto const old = limits.oldest != 0 && state.last_used < limits.oldest;
    remove(state, old ? "was not used for longer than max_age"
                      : "removed the state that was used the longest ago: over the limit");
  }
  if (plan.over_bytes || plan.over_folder) {
    Line(Level::warning, "prune")
        .field("folder", folder())
        .field("limit", plan.over_bytes ? "route" : "folder")
        .say(
            "what must stay is larger than max_gib by itself: raise the limit or make the states "
            "smaller (--ctx-checkpoints)");
  }
}

void Vault::remove(store::Manifest const& state, std::string const& why) {
  Line line(Level::info, "prune");
  line.field("file", state.data).field("session", state.key.id);
  if (state.tokens > 0) line.field("tokens", state.tokens);
  line.field("bytes", state.bytes).say(why);
  drop(state);
  disk_.add("remove " + state.data, [files = files_, folders = folders_, state] {
    return problem_of(store::remove_state(*files, folders, state));
  });
}

}  // namespace slotswap::swap
