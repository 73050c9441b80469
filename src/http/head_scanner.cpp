#include "head_scanner.hpp"

#include <algorithm>

namespace slotswap::http {

HeadScanner::State HeadScanner::scan(std::string_view text) {
  auto const end = std::min(text.size(), limit_);
  while (at_ < end) {
    auto const state = check(text);
    if (state == State::found) ++at_;
    if (state != State::more) return state;
    ++at_;
  }
  return text.size() >= limit_ ? State::too_long : State::more;
}

// The byte at at_ in the light of those before it.
HeadScanner::State HeadScanner::check(std::string_view text) const {
  auto const c = text[at_];
  auto const before = [this, text](std::size_t back) {
    return at_ >= back ? text[at_ - back] : '\0';
  };
  if ((c == '\n') != (before(1) == '\r')) return State::control;
  if (c == '\n') return before(2) == '\n' ? State::found : State::more;
  if (before(1) == '\n' && (c == ' ' || c == '\t')) return State::folded;
  auto const byte = static_cast<unsigned char>(c);
  auto const allowed = byte >= 0x20U ? byte != 0x7FU : c == '\t' || c == '\r';
  return allowed ? State::more : State::control;
}

}  // namespace slotswap::http
