#include <slotswap/net/blocking.hpp>
#include <slotswap/swap/vault.hpp>
#include <slotswap/telemetry/log.hpp>

#include <chrono>
#include <utility>
#include <vector>

namespace slotswap::swap {

namespace {

using telemetry::Level;
using telemetry::Line;

// How often a time of use is written down, at most.
constexpr std::int64_t use_interval_ms = 60'000;

// A swap takes milliseconds; one that waits for a busy slot must not keep states from the disk.
constexpr auto quiet_patience = std::chrono::milliseconds(500);

std::int64_t now_milliseconds() {
  auto const now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::int64_t now_microseconds() {
  auto const now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

std::string problem_of(base::Result<void> const& done) {
  return done.has_error() ? done.error().detail : std::string();
}

/// What one trip to the disk found.
struct Looked {
  Looked() : saved(store::Manifest()) {}
  base::Result<store::Manifest> saved;
  std::vector<std::string> fine;  // files of states that are next
};

Looked look_at(store::FileSystem& files, std::string const& folder, store::Manifest saved,
               std::vector<store::Manifest> const& next) {
  Looked looked;
  auto const fine = store::check_saved(files, folder, saved);
  looked.saved = fine.has_error() ? base::Result<store::Manifest>(fine.error()) : std::move(saved);
  for (auto state : next) {
    if (!store::check_saved(files, folder, state).has_error()) looked.fine.push_back(state.data);
  }
  return looked;
}

std::string problem_of(base::Result<store::Committed> const& done) {
  return done.has_error() ? done.error().detail : done->problem;
}

}  // namespace

Vault::Vault(net::Loop& loop, net::TaskGroup& tasks, std::shared_ptr<store::FileSystem> files,
             std::string folder)
    : loop_(loop),
      tasks_(tasks),
      files_(std::move(files)),
      folder_(std::move(folder)),
      visible_(!folder_.empty()),
      no_swaps_(loop) {}

base::Result<void> Vault::open() {
  if (!visible_) return {};
  auto found = store::scan(*files_, folder_);
  if (found.has_error()) return found.error();
  for (auto const& problem : found->problems)
    Line(Level::warning, "store").field("folder", folder_).say(problem);
  // Left by a crash before its commit; the next one of that session needs the name.
  for (auto const& name : found->unfinished) discard(name);
  Line(Level::info, "store")
      .field("folder", folder_)
      .field("states", found->states.size())
      .say("saved states found");
  index_ = store::Index(std::move(found->states), found->last_generation);
  return {};
}

std::string Vault::new_name(store::StateKey const& key) {
  if (!visible_) return unseen_name(key);
  return store::data_name(key, index_.next_generation(now_microseconds()));
}

// Nothing can be deleted there, so names are used in turn; never the one that holds the last good
// state.
std::string Vault::unseen_name(store::StateKey const& key) const {
  auto const* current = index_.find(key);
  for (std::uint64_t generation = 0;; ++generation) {
    auto name = store::data_name(key, generation);
    if ((current == nullptr || current->data != name) && burned_.count(name) == 0) return name;
  }
}

void Vault::burn(std::string const& name) {
  if (!visible_) {
    burned_.insert(name);
    return;
  }
  discard(name);
}

void Vault::discard(std::string const& name) {
  enqueue("remove " + name, [files = files_, path = folder_ + "/" + name] {
    return problem_of(files->remove(path));
  });
}

net::awaitable<base::Result<void>> Vault::publish(Written written, store::Limits limits,
                                                  std::set<store::StateKey> keep) {
  store::Manifest manifest;
  manifest.key = written.key;
  manifest.data = written.file;
  manifest.model = written.model;
  manifest.tokens = written.tokens;
  manifest.bytes = written.bytes;
  manifest.saved = manifest.last_used = now_milliseconds();
  auto const* before = index_.find(written.key);
  manifest.created = before != nullptr ? before->created : manifest.saved;
  manifest.uses = before != nullptr ? before->uses : 0;
  if (visible_) {
    std::vector<store::Manifest> next;
    for (auto const& key : keep) {
      if (auto const* state = find(key)) next.push_back(*state);
    }
    auto look = [files = files_, folder = folder_, manifest, next] {
      return look_at(*files, folder, manifest, next);
    };
    auto const looked = co_await net::run_blocking(loop_, std::move(look));
    looked_at_.insert(looked.fine.begin(), looked.fine.end());
    if (looked.saved.has_value()) {
      manifest = *looked.saved;
      seen_ = true;
    } else if (looked.saved.error().code == "missing" && !seen_) {
      visible_ = false;
      index_ = store::Index();
      Line(Level::warning, "store")
          .field("folder", folder_)
          .field("file", written.file)
          .say(
              "the server saved a file that is not under save_path here: it writes to another "
              "folder (in Docker: mount the "
              "same volume in both containers); saved states are kept but never pruned until this "
              "is mended");
    } else {
      discard(written.file);
      co_return looked.saved.error();
    }
  }
  before = index_.find(written.key);
  auto const replaced = before != nullptr ? before->data : std::string();
  distrusted_.erase(replaced);
  suspected_.erase(replaced);
  index_.put(manifest);
  if (visible_) {
    enqueue("publish " + manifest.data, [files = files_, folder = folder_, manifest, replaced] {
      return problem_of(store::commit(*files, folder, manifest, replaced));
    });
    keep.insert(written.key);
    prune(written.key.tag, limits, keep);
  }
  co_return base::Result<void>();
}

net::awaitable<bool> Vault::still_there(store::StateKey key) {
  auto const* known = index_.find(key);
  if (known == nullptr || distrusted_.count(known->data) > 0) co_return false;
  if (!visible_) co_return true;
  auto const just_seen = std::exchange(looked_at_, {}).count(known->data) > 0;
  if (just_seen) co_return true;
  auto look = [files = files_, folder = folder_, manifest = *known]() mutable {
    return problem_of(store::check_saved(*files, folder, manifest));
  };
  auto const data = known->data;
  auto const problem = co_await net::run_blocking(loop_, std::move(look));
  if (problem.empty()) co_return true;
  Line(Level::warning, "store")
      .field("folder", folder_)
      .field("file", data)
      .field("session", key.id)
      .say("not restored: " + problem);
  distrust(data);
  co_return false;
}

void Vault::prune(std::string const& tag, store::Limits const& limits,
                  std::set<store::StateKey> const& keep) {
  auto const plan = index_.plan_prune(tag, limits, keep);
  for (auto const& state : plan.remove) {
    index_.erase(state.key);
    written_use_.erase(state.key);
    distrusted_.erase(state.data);
    suspected_.erase(state.data);
    Line(Level::info, "prune")
        .field("file", state.data)
        .field("session", state.key.id)
        .field("tokens", state.tokens)
        .field("bytes", state.bytes)
        .say("removed the state that was used the longest ago: over the limit");
    enqueue("remove " + state.data, [files = files_, folder = folder_, state] {
      return problem_of(store::remove_state(*files, folder, state));
    });
  }
  if (plan.over_bytes || plan.over_folder) {
    Line(Level::warning, "prune")
        .field("folder", folder_)
        .field("limit", plan.over_bytes ? "route" : "folder")
        .say(
            "what must stay is larger than max_gib by itself: raise the limit or make the states "
            "smaller "
            "(--ctx-checkpoints)");
  }
}

void Vault::used(store::StateKey const& key) {
  auto const now = now_milliseconds();
  index_.used(key, now);
  auto const* manifest = index_.find(key);
  if (!visible_ || manifest == nullptr) return;
  auto& written = written_use_[key];
  if (now - written < use_interval_ms) return;
  written = now;
  enqueue("note the use of " + manifest->data,
          [files = files_, folder = folder_, copy = *manifest] {
            return problem_of(store::commit(*files, folder, copy, {}));
          });
}

net::awaitable<void> Vault::wait_for_quiet() {
  auto const until = loop_.now() + quiet_patience;
  while (swaps_ > 0) {
    auto const quiet = co_await no_swaps_.wait_until(until);
    if (!quiet) break;
  }
}

// One at a time and in order: a state's removal must not overtake its publishing.
void Vault::enqueue(std::string what, Job job) {
  jobs_.emplace_back(std::move(what), std::move(job));
  if (std::exchange(working_, true)) return;
  tasks_.spawn("store " + folder_, work());
}

net::awaitable<void> Vault::work() {
  while (!jobs_.empty()) {
    co_await wait_for_quiet();
    auto [what, job] = std::move(jobs_.front());
    jobs_.pop_front();
    auto const problem = co_await net::run_blocking(loop_, std::move(job));
    if (!problem.empty())
      Line(Level::warning, "store").field("folder", folder_).field("work", what).say(problem);
  }
  working_ = false;
}

}  // namespace slotswap::swap
