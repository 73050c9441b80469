// A request's client has left: seen by whoever works for the request at the moment. Loop thread.
#pragma once

#include <functional>
#include <utility>

namespace slotswap::swap {

class Cancel {
 public:
  bool requested() const { return requested_; }
  void request() {
    if (std::exchange(requested_, true)) return;
    if (wake_) wake_();
  }
  /// What ends the wait under way; null takes it back. Not called when the request came before: ask
  /// requested() first.
  void on_request(std::function<void()> wake) { wake_ = std::move(wake); }

 private:
  bool requested_ = false;
  std::function<void()> wake_;
};

}  // namespace slotswap::swap
