// Request bodies held in memory, counted against one budget over all connections. Loop thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace slotswap::net {

/// Bytes of bodies held at once. Outlives every Body made from it.
class Budget {
 public:
  explicit Budget(std::uint64_t limit) : limit_(limit) {}
  bool take(std::uint64_t bytes) {
    if (bytes > limit_ - used_) return false;
    used_ += bytes;
    return true;
  }
  void give(std::uint64_t bytes) { used_ -= bytes; }
  std::uint64_t used() const { return used_; }

 private:
  std::uint64_t limit_;
  std::uint64_t used_ = 0;
};

/// A whole request body; gives its bytes back to the budget when the last owner lets go.
class Body {
 public:
  Body() = default;
  explicit Body(std::string bytes) : bytes_(std::move(bytes)) {}
  explicit Body(Budget& budget) : budget_(&budget) {}
  ~Body() {
    if (budget_ != nullptr) budget_->give(taken_);
  }
  Body(Body const&) = delete;
  Body& operator=(Body const&) = delete;

  /// False when the budget has no room: nothing is appended.
  bool append(std::string_view piece) {
    if (budget_ != nullptr && !budget_->take(piece.size())) return false;
    taken_ += piece.size();
    bytes_.append(piece);
    return true;
  }
  void reserve(std::uint64_t bytes) { bytes_.reserve(bytes); }
  std::string const& bytes() const { return bytes_; }

 private:
  Budget* budget_ = nullptr;
  std::uint64_t taken_ = 0;
  std::string bytes_;
};

}  // namespace slotswap::net
