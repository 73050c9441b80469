// Splits a stream of server-sent events (WHATWG HTML, 9.2) into events as its bytes pass. Bounded:
// of an event longer than the limit only the fact is kept. Reads; never changes a byte.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace slotswap::http {

struct SseEvent {
  std::string type;  // "" when the event has no event: line
  std::string data;  // data: lines joined by \n
  bool cut = false;  // was longer than the limit: `data` holds its beginning
};

class SseSplitter {
 public:
  explicit SseSplitter(std::size_t limit = 256 * 1024) : limit_(limit) {}
  /// Feeds bytes cut anywhere; returns the events they complete. Comments and events without data
  /// do not count.
  std::vector<SseEvent> put(std::string_view bytes);
  /// The line that has no end yet; of one longer than the limit its beginning.
  std::string_view pending() const { return line_; }

 private:
  void end_line(std::vector<SseEvent>& out);

  std::size_t limit_;
  std::string line_;
  SseEvent event_;
  bool has_data_ = false;
  bool line_cut_ = false;
  bool after_cr_ = false;
  bool started_ = false;
};

}  // namespace slotswap::http
