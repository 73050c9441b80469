#include "body_reader.hpp"

#include <slotswap/base/text.hpp>

#include <algorithm>
#include <optional>

namespace slotswap::http {

namespace {

constexpr std::size_t max_size_digits = 16;

std::optional<std::uint64_t> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<std::uint64_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint64_t>(c - 'a') + 10U;
  if (c >= 'A' && c <= 'F') return static_cast<std::uint64_t>(c - 'A') + 10U;
  return std::nullopt;
}

bool is_control(char c) {
  auto const byte = static_cast<unsigned char>(c);
  return (byte < 0x20U && c != '\t') || byte == 0x7FU;
}

// RFC 9110 5.6.2
bool is_token_char(char c) {
  static constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         marks.find(c) != std::string_view::npos;
}

}  // namespace

BodyReader::BodyReader(Framing const& framing, std::size_t overhead) : max_overhead_(overhead) {
  switch (framing.kind) {
    case BodyKind::none:
      state_ = State::done;
      break;
    case BodyKind::length:
      state_ = State::counted;
      left_ = framing.content_length.value_or(0);
      break;
    case BodyKind::chunked:
      state_ = State::size;
      break;
    case BodyKind::until_eof:
      state_ = State::endless;
      break;
  }
}

bool BodyReader::put(std::string_view bytes, std::size_t& consumed,
                     std::vector<std::string_view>& pieces) {
  auto const before = bytes.size();
  while (!bytes.empty() && state_ != State::done && state_ != State::broken) {
    auto const piece = take(bytes);
    if (piece.empty()) {
      step(bytes.front());
      if (state_ != State::broken) bytes.remove_prefix(1);
    } else {
      pieces.push_back(piece);
      bytes.remove_prefix(piece.size());
    }
  }
  consumed += before - bytes.size();
  return state_ != State::broken;
}

bool BodyReader::put_eof() {
  if (state_ == State::endless) state_ = State::done;
  return state_ == State::done;
}

// The bytes at the front that are the body's own; empty where framing stands.
std::string_view BodyReader::take(std::string_view bytes) {
  if (state_ == State::endless) return bytes;
  if (state_ != State::data && state_ != State::counted) return {};
  auto const size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
  left_ -= size;
  if (left_ == 0) state_ = state_ == State::data ? State::data_cr : State::done;
  return bytes.substr(0, size);
}

void BodyReader::step(char c) {
  switch (state_) {
    case State::size:
    case State::size_blank:
    case State::extension:
      return step_size(c);
    case State::size_lf:
      return expect(c, '\n', left_ == 0 ? State::trailer_start : State::data);
    case State::data_cr:
      return expect(c, '\r', State::data_lf);
    case State::data_lf:
      return expect(c, '\n', State::size);
    case State::trailer_start:
    case State::trailer_name:
    case State::trailer_value:
      return step_trailer(c);
    case State::trailer_lf:
      return expect(c, '\n', State::trailer_start);
    case State::end_lf:
      return expect(c, '\n', State::done);
    case State::data:
    case State::counted:
    case State::endless:
    case State::done:
    case State::broken:
      return;  // no framing bytes there
  }
}

void BodyReader::step_size(char c) {
  if (state_ == State::size) {
    if (auto const digit = hex_digit(c)) {
      left_ = left_ * 16U + *digit;
      if (++digits_ > max_size_digits) fail("a chunk's size has too many digits");
      return;
    }
    if (digits_ == 0) return fail("a chunk has no size");
  }
  if (c == '\r' && state_ != State::size_blank) {
    digits_ = 0;
    overhead_ = 0;
    state_ = State::size_lf;
    return;
  }
  if (state_ != State::extension) {
    if (c != ';' && c != ' ' && c != '\t') return fail("a chunk's size is malformed");
    state_ = c == ';' ? State::extension : State::size_blank;
  }
  if (is_control(c)) return fail("a chunk's extension has a control character");
  count_overhead();
}

void BodyReader::step_trailer(char c) {
  if (state_ == State::trailer_start && c == '\r') {
    state_ = State::end_lf;
    return;
  }
  count_overhead();
  if (state_ == State::broken) return;
  if (state_ == State::trailer_value) {
    if (c == '\r') {
      state_ = State::trailer_lf;
    } else if (is_control(c)) {
      fail("a trailer has a control character");
    }
    return;
  }
  if (state_ == State::trailer_name && c == ':') {
    for (auto const name : {"Content-Length", "Transfer-Encoding", "Host"}) {
      if (base::equals_ignoring_case(trailer_name_, name)) {
        return fail("a trailer is a field that frames or addresses the message");
      }
    }
    trailer_name_.clear();
    state_ = State::trailer_value;
    return;
  }
  if (!is_token_char(c)) return fail("a trailer's name is malformed");
  trailer_name_ += c;
  state_ = State::trailer_name;
}

void BodyReader::expect(char c, char wanted, State next) {
  if (c != wanted) return fail("a line of the chunked body does not end in CRLF");
  state_ = next;
}

void BodyReader::count_overhead() {
  if (++overhead_ > max_overhead_) fail("its chunk extensions or trailers are too long");
}

void BodyReader::fail(std::string_view problem) {
  state_ = State::broken;
  problem_ = problem;
}

}  // namespace slotswap::http
