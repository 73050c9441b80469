// Request bodies held in memory, counted against one budget over all connections. Bodies are made
// on the loop thread; the last owner may let go on any.
#pragma once

#include <slotswap/base/fault.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace slotswap::net {

/// Bytes of bodies held at once; held by every Body made from it.
class Budget {
 public:
  explicit Budget(std::uint64_t limit) : limit_(limit) {}
  /// On the loop thread.
  bool take(std::uint64_t bytes) {
    if (bytes > limit_ - used_.load()) return false;
    used_ += bytes;
    return true;
  }
  void give(std::uint64_t bytes) { used_ -= bytes; }
  std::uint64_t used() const { return used_.load(); }

 private:
  std::uint64_t limit_;
  std::atomic<std::uint64_t> used_{0};
};

/// What a request gets for whose body there is no room.
inline base::Fault buffers_full() {
  return base::Fault(base::Side::us, "buffers_full",
                     "too many request bodies are held at once (limits: buffer_mib)");
}

/// A whole request body; gives its bytes back to the budget when the last owner lets go.
class Body {
 public:
  Body() = default;
  explicit Body(std::string bytes) : bytes_(std::move(bytes)) {}
  explicit Body(std::shared_ptr<Budget> budget) : budget_(std::move(budget)) {}
  ~Body() {
    if (budget_) budget_->give(taken_);
  }
  Body(Body const&) = delete;
  Body& operator=(Body const&) = delete;

  /// False when the budget has no room: nothing is appended.
  bool append(std::string_view piece) {
    if (budget_ && !budget_->take(piece.size())) return false;
    taken_ += piece.size();
    bytes_.append(piece);
    return true;
  }
  void reserve(std::uint64_t bytes) { bytes_.reserve(bytes); }
  std::string const& bytes() const { return bytes_; }

 private:
  std::shared_ptr<Budget> budget_;
  std::uint64_t taken_ = 0;
  std::string bytes_;
};

}  // namespace slotswap::net
