// A request is given up: its client has left, or it waited for too long. Seen by whoever works for
// it at the moment. Loop thread.
#pragma once

#include <functional>
#include <utility>

namespace slotswap::swap {

class Cancel {
 public:
  bool requested() const { return requested_; }
  /// Not the client: it waited past its time in the queue.
  bool late() const { return late_; }
  void request() {
    if (std::exchange(requested_, true)) return;
    if (wake_) wake_();
  }
  void request_late() {
    if (requested_) return;
    late_ = true;
    request();
  }
  /// What ends the wait under way; null takes it back. Not called when the request came before: ask
  /// requested() first.
  void on_request(std::function<void()> wake) { wake_ = std::move(wake); }

 private:
  bool requested_ = false;
  bool late_ = false;
  std::function<void()> wake_;
};

}  // namespace slotswap::swap
