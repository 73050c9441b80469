// Takes a body apart as its bytes come; holds none of them. Chunked by RFC 9112 7.1, strictly: CRLF
// only, at most 16 digits a size; extensions and trailers are dropped, bounded. Every byte is
// looked at once and consumed at once, so neither memory nor work grows with how the bytes are cut
// (Beast 1.81 wants chunk headers and trailers whole).
#pragma once

#include "framing.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slotswap::http {

class BodyReader {
 public:
  BodyReader() = default;
  /// `overhead`: bytes that the extensions of one chunk, and all trailers, may have.
  BodyReader(Framing const& framing, std::size_t overhead);

  /// Consumes up to the body's end and appends the body's bytes as views into `bytes`; false when
  /// it is malformed, for this and all later calls.
  bool put(std::string_view bytes, std::size_t& consumed, std::vector<std::string_view>& pieces);
  /// The connection ended; false when that cuts the body.
  bool put_eof();

  bool done() const { return state_ == State::done; }
  /// Why put said false.
  std::string_view problem() const { return problem_; }

 private:
  enum class State {
    size,        // hex digits
    size_blank,  // blanks behind them: an extension must follow
    extension,
    size_lf,
    data,  // of a chunk
    data_cr,
    data_lf,
    trailer_start,
    trailer_name,
    trailer_value,
    trailer_lf,
    end_lf,
    counted,  // data of a body with Content-Length
    endless,
    done,
    broken
  };

  std::string_view take(std::string_view bytes);
  void step(char c);
  void step_size(char c);
  void step_trailer(char c);
  void expect(char c, char wanted, State next);
  void count_overhead();
  void fail(std::string_view problem);

  State state_ = State::done;
  std::uint64_t left_ = 0;
  std::size_t digits_ = 0;
  std::size_t overhead_ = 0;
  std::size_t max_overhead_ = 0;
  std::string trailer_name_;
  std::string_view problem_;
};

}  // namespace slotswap::http
