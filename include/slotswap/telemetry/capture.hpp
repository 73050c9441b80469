// For tests: while one lives, lines are kept here instead of being written, at once and complete.
// Lines of any thread are caught; nested captures give back to the outer one.
#pragma once

#include <slotswap/telemetry/log.hpp>

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace slotswap::telemetry {

class CapturedLog {
 public:
  explicit CapturedLog(Level level = Level::trace, bool json = false, bool brief_ids = false);
  ~CapturedLog();
  CapturedLog(CapturedLog const&) = delete;
  CapturedLog& operator=(CapturedLog const&) = delete;

  std::vector<std::string> lines() const;
  /// The lines that hold this text: count("event=save") or matching(" route=chat ").
  std::vector<std::string> matching(std::string_view text) const;
  std::size_t count(std::string_view text) const { return matching(text).size(); }
  void clear();

  void add(std::string line);

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
  CapturedLog* outer_;
  Level outer_level_;
  bool outer_json_;
  bool outer_brief_ids_;
};

}  // namespace slotswap::telemetry
