// Finds where a head ends, byte after byte, so that the grammar always sees the whole head at once
// and the verdict never depends on how the bytes were cut. Refuses what parsers read differently:
// bare CR or LF, NUL and other controls (RFC 9112 2.2, 9110 5.5), folded lines (RFC 9112 5.2).
#pragma once

#include <cstddef>
#include <string_view>

namespace slotswap::http {

class HeadScanner {
 public:
  enum class State { more, found, control, folded, too_long };

  explicit HeadScanner(std::size_t limit) : limit_(limit) {}

  /// `text` begins at the head's first byte; each call has the text of the last one with more
  /// behind it. Bytes seen are not looked at again.
  State scan(std::string_view text);
  /// Bytes of the head, the blank line included; valid once found.
  std::size_t size() const { return at_; }

 private:
  State check(std::string_view text) const;

  std::size_t limit_;
  std::size_t at_ = 0;
};

}  // namespace slotswap::http
