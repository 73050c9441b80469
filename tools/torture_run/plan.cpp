#include "torture_run/plan.hpp"

#include <utility>

namespace slotswap::torture {

std::string name_of(Kind kind) {
  switch (kind) {
    case Kind::proxy_killed:
      return "slotswap killed";
    case Kind::proxy_stopped:
      return "slotswap stopped";
    case Kind::server_killed:
      return "llama-server killed";
    case Kind::server_stopped:
      return "llama-server stopped";
    case Kind::cut_by_one:
      return "state cut by a byte";
    case Kind::cut_in_half:
      return "state cut in the middle";
    case Kind::flipped:
      return "byte flipped, new mtime";
    case Kind::flipped_unseen:
      return "byte flipped, mtime kept";
    case Kind::gone:
      return "state deleted";
    case Kind::other_model:
      return "other model's, new mtime";
    case Kind::other_model_unseen:
      return "other model's, mtime kept";
    case Kind::manifest_cut:
      return "manifest cut";
    case Kind::manifest_rubbish:
      return "manifest is rubbish";
    case Kind::disk_full:
      return "disk full";
  }
  return "";
}

std::vector<Kind> all_kinds() {
  std::vector<Kind> kinds;
  for (int i = 0; i <= static_cast<int>(Kind::disk_full); ++i) {
    kinds.push_back(static_cast<Kind>(i));
  }
  return kinds;
}

bool is_damage(Kind kind) {
  return kind >= Kind::cut_by_one && kind <= Kind::manifest_rubbish;
}

bool is_of_manifest(Kind kind) {
  return kind == Kind::manifest_cut || kind == Kind::manifest_rubbish;
}

bool is_unseen(Kind kind) {
  return kind == Kind::flipped_unseen || kind == Kind::other_model_unseen;
}

std::string Plan::what() const {
  return name_of(kind) + (while_down ? " while slotswap was down" : "");
}

std::vector<Batch> Plan::batches() const {
  auto all = before;
  all.insert(all.end(), after.begin(), after.end());
  return all;
}

Plans::Plans(std::uint64_t seed, std::vector<Kind> kinds, std::size_t sessions)
    : random_(seed), kinds_(std::move(kinds)), sessions_(sessions) {}

Milliseconds Plans::up_to(std::size_t most) {
  return Milliseconds{static_cast<Milliseconds::rep>(below(most + 1))};
}

// The library's own shuffle and distributions differ from one to the next.
std::vector<std::size_t> Plans::shuffled() {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < sessions_; ++i) order.push_back(i);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[below(i)]);
  return order;
}

std::vector<Batch> Plans::batches(std::size_t count) {
  std::vector<Batch> all;
  for (std::size_t i = 0; i < count; ++i) {
    auto order = shuffled();
    order.resize(1 + below(2));
    all.push_back(std::move(order));
  }
  return all;
}

Kind Plans::draw() {
  if (deck_.empty()) deck_ = kinds_;
  std::swap(deck_[below(deck_.size())], deck_.back());
  auto const kind = deck_.back();
  deck_.pop_back();
  return kind;
}

Plan Plans::next() {
  Plan plan;
  plan.round = ++round_;
  plan.kind = draw();
  plan.before = batches(1 + below(3));
  plan.after = batches(1 + below(3));
  plan.delay = up_to(30);
  plan.down = up_to(100);
  plan.victims = shuffled();
  plan.while_down = below(3) == 0 && is_damage(plan.kind);
  plan.place = static_cast<double>(below(1'000'000)) / 1e6;
  plan.room = below(2) * below(400'000);
  return plan;
}

}  // namespace slotswap::torture
