#include "problems.hpp"

#include <slotswap/base/wall_clock.hpp>
#include <slotswap/net/blocking.hpp>
#include <slotswap/swap/vault.hpp>
#include <slotswap/telemetry/log.hpp>

#include <chrono>
#include <utility>

namespace slotswap::swap {

namespace {

using telemetry::Level;
using telemetry::Line;

// How often a time of use is written down, at most.
constexpr std::int64_t use_interval_ms = 60'000;
// How often states that grew too old are looked for while nothing is saved.
constexpr auto age_interval = std::chrono::minutes(15);
// States taken into the index before the loop gets its turn again: well under a millisecond.
constexpr std::size_t portion = 256;

}  // namespace

Vault::Vault(net::Loop& loop, net::TaskGroup& tasks, std::shared_ptr<store::FileSystem> files,
             store::Folders folders, std::size_t servers)
    : loop_(loop),
      tasks_(tasks),
      files_(std::move(files)),
      folders_(std::move(folders)),
      servers_(servers),
      disk_(loop, tasks, folders_.visible() ? folders_.data : folders_.state),
      book_(files_, folders_.state),
      ended_(loop) {}

base::Result<void> Vault::lock() {
  auto locks = store::lock(*files_, folders_);
  if (locks.has_error()) return locks.error();
  locks_ = std::move(*locks);
  return {};
}

void Vault::open() {
  opened_ = true;
  book_.open();
  first_generation_ = index_.next_generation(base::now_microseconds());
  commit_left_saves();
  tasks_.spawn("read " + folder(), fill());
  tasks_.spawn("age of " + folder(), watch_age());
}

// Done by the server for the last run, which was killed before their manifests were in place. What
// is not there as it was noted is a leftover. One whose manifest is in place was noted all the same
// (BookKeeper::note_committed), and what became of its data since is for a look to tell.
void Vault::commit_left_saves() {
  for (auto const& save : book_.take_saves()) {
    auto work = [files = files_, folders = folders_, save] {
      if (store::is_committed(*files, folders, save)) return std::string();
      auto found = save;
      if (folders.visible()) {
        auto const fine = store::check_saved(*files, folders, found);
        if (fine.has_error()) return std::string();
      }
      return problem_of(store::commit(*files, folders, found, {}, true));
    };
    unsettled_.insert(save.key);
    disk_.add("publish " + save.data, std::move(work), [this, save] {
      unsettled_.erase(save.key);
      book_.note_committed(save);
    });
  }
}

net::awaitable<void> Vault::filled() {
  if (filled_) co_return;
  net::Signal done(loop_);
  waiting_for_fill_.insert(&done);
  co_await done.wait();
}

net::awaitable<void> Vault::fill() {
  // The index must find them in place.
  co_await disk_.flush();
  auto const seeing = visible();
  auto work = [files = files_, folders = folders_] { return store::scan(*files, folders); };
  auto found = co_await net::run_blocking(loop_, std::move(work));
  if (found.has_error()) {
    Line(Level::error, "store")
        .field("folder", folder())
        .say("what is saved here cannot be listed: " + found.error().detail);
  } else if (visible() == seeing) {
    co_await take_over(std::move(*found));
  }
  filled_ = true;
  gone_.clear();
  for (auto* signal : std::exchange(waiting_for_fill_, {})) signal->notify();
  remove_leftovers();
  sweep();
}

// In portions: a hundred thousand at once would hold the loop up.
net::awaitable<void> Vault::take_over(store::Scan scan) {
  for (auto const& problem : scan.problems)
    Line(Level::warning, "store").field("folder", folder()).say(problem);
  index_.seen_generation(scan.last_generation);
  // Left by a crash before its commit.
  for (auto const& name : scan.unfinished) {
    disk_.add("remove " + name, [files = files_, path = folders_.state + "/" + name] {
      return problem_of(files->remove(path));
    });
  }
  for (auto const& state : scan.states) {
    replaced_meanwhile(state.key, state.data);
    if (!index_.has(state.key) && gone_.count(state.key) == 0) index_.put(state);
  }
  std::size_t taken = 0;
  auto const seeing = visible();
  for (auto const& listed : scan.listed) {
    // It turned out to be the wrong folder.
    if (visible() != seeing) co_return;
    replaced_meanwhile(listed.key, store::data_name(listed.key, listed.generation));
    if (gone_.count(listed.key) == 0) index_.put_listed(listed);
    if (++taken % portion != 0) continue;
    auto const pause = [] { return true; };
    co_await net::run_blocking(loop_, pause);
  }
  for (auto& name : scan.unnamed) {
    auto const data = store::parse_data_name(name);
    if (data && data->generation < first_generation_) leftovers_.push_back(std::move(name));
  }
  Line(Level::info, "store")
      .field("folder", folder())
      .field("states", index_.size())
      .field("bytes", index_.bytes())
      .field("leftovers", leftovers_.size())
      .say("saved states found");
}

// Saved anew before it was known what was there: nobody removes the older data but this.
void Vault::replaced_meanwhile(store::StateKey const& key, std::string const& data) {
  auto const now = index_.find(key);
  auto const listed = store::parse_data_name(data);
  if (now && now->data != data && listed && listed->generation < first_generation_)
    leftovers_.push_back(data);
}

void Vault::answered(std::string const& server) {
  if (answered_.insert(server).second) remove_leftovers();
}

// A server that has not answered yet may still be writing what an earlier run asked for.
void Vault::remove_leftovers() {
  if (!filled_ || answered_.size() < servers_ || !visible()) return;
  for (auto const& name : std::exchange(leftovers_, {})) {
    disk_.add("remove " + name, [files = files_, folders = folders_, name] {
      return problem_of(store::remove_leftover(*files, folders, name));
    });
  }
}

// A server is mostly met first when the folder has been read.
void Vault::keep(std::string const& tag, Keeping const& keeping) {
  auto const fresh = kept_.insert_or_assign(tag, keeping).second;
  if (fresh) prune(tag, keeping, {});
}

void Vault::sweep() {
  for (auto const& [tag, keeping] : kept_) prune(tag, keeping, {});
}

net::awaitable<void> Vault::watch_age() {
  for (;;) {
    auto const ended = co_await ended_.wait_until(loop_.now() + age_interval);
    if (ended) co_return;
    sweep();
  }
}

void Vault::burn(std::string const& name) {
  if (!visible()) {
    burned_.insert(name);
    return;
  }
  auto const data = store::parse_data_name(name);
  auto const state = data ? index_.find(data->key) : std::nullopt;
  if (state && state->data == name) {
    // Saved over, for want of room: the old state is gone with it.
    remove(*state, "a save over it failed");
  } else {
    discard(name);
  }
}

void Vault::discard(std::string const& name) {
  disk_.add("remove " + name, [files = files_, path = folders_.data + "/" + name] {
    return problem_of(files->remove(path));
  });
}

void Vault::drop(store::Manifest const& state) {
  index_.erase(state.key);
  book_.retract(state);
  if (!filled_) gone_.insert(state.key);
  written_use_.erase(state.key);
  distrusted_.erase(state.data);
  suspected_.erase(state.data);
  auto const beside = beside_.extract(state.key);
  if (beside.empty()) return;
  for (auto const& old : beside.mapped()) {
    index_.take_beside(state.key.tag, old.bytes);
    if (visible()) discard(old.data);
  }
}

net::awaitable<base::Result<bool>> Vault::forget(std::string id, std::string tag) {
  auto const tags = tag.empty() ? index_.tags_of(id) : std::vector<std::string>{tag};
  auto known = false;
  for (auto const& one : tags) {
    auto const state = index_.find(store::StateKey(one, id));
    if (!state) continue;
    known = true;
    remove(*state, "its session was deleted");
  }
  // And what is not in the index: files of a manifest that cannot be read, what was set aside.
  auto const removed = std::make_shared<base::Result<std::size_t>>(std::size_t{0});
  auto work = [files = files_, folders = folders_, id, tag, removed] {
    *removed = store::remove_session(*files, folders, id, tag);
    return removed->has_error() ? removed->error().detail : std::string();
  };
  disk_.add("remove the session " + id, std::move(work));
  co_await disk_.flush();
  if (removed->has_error()) co_return removed->error();
  // What a listing that was under way brought meanwhile.
  for (auto const& one : index_.tags_of(id)) {
    auto const state = index_.find(store::StateKey(one, id));
    if (state && (tag.empty() || one == tag)) drop(*state);
  }
  co_return known || removed->value() > 0;
}

void Vault::remove_late(store::StateKey const& key) {
  if (auto const state = index_.find(key)) remove(*state, "its session was deleted");
}

void Vault::used(store::StateKey const& key) {
  auto const now = base::now_milliseconds();
  index_.used(key, now);
  auto const manifest = index_.find(key);
  if (!manifest) return;
  suspected_.erase(manifest->data);
  auto& written = written_use_[key];
  if (now - written < use_interval_ms) return;
  written = now;
  rewrite("note the use of ", *manifest);
}

void Vault::rewrite(std::string const& why, store::Manifest const& manifest) {
  disk_.add(why + manifest.data, [files = files_, folders = folders_, manifest] {
    return problem_of(store::rewrite(*files, folders, manifest));
  });
}

bool Vault::may_write(std::uint64_t max_write_bytes) const {
  if (max_write_bytes == 0) return true;
  auto const yesterday = loop_.now() - std::chrono::hours(24);
  std::uint64_t written = 0;
  for (auto const& [when, bytes] : writes_) {
    if (when > yesterday) written += bytes;
  }
  return written < max_write_bytes;
}

void Vault::close() {
  ended_.notify();
}

net::awaitable<void> Vault::finish() {
  if (!opened_) co_return;
  for (auto const& [key, written] : std::exchange(written_use_, {})) {
    auto const manifest = index_.find(key);
    if (manifest && manifest->last_used > written) rewrite("note the use of ", *manifest);
  }
  co_await disk_.flush();
}

}  // namespace slotswap::swap
