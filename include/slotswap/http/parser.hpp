// Incremental readers of one HTTP/1.x message (RFC 9112). No sockets, no exceptions; every bound is
// checked here (head bytes, field count, chunk extensions, trailers). How the bytes are cut never
// changes a verdict. One object per message; one thread; after a fault it is of no further use.
// Pieces before a malformed byte are lost with a request; with a response the next put gives the
// fault.
#pragma once

#include <slotswap/base/fault.hpp>
#include <slotswap/http/message.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace slotswap::http {

struct ParserLimits {
  ParserLimits() = default;
  std::size_t head_bytes = 16 * 1024;
  std::size_t fields = 128;
  /// Bytes that one chunk's extensions, or all trailers, may have. They are dropped as they come.
  std::size_t pending_bytes = 32 * 1024;
};

/// What a message parser found in the bytes of the last put. Only an unfinished head (less than
/// head_bytes) and what follows the message are left unconsumed; a body is taken to the last byte.
struct Found {
  std::size_t consumed = 0;  // the caller drops these and keeps the rest for the next put
  std::vector<std::string_view> pieces;  // body bytes, views into the argument of put
};

/// Reads one request. The framing rules of RFC 9112 6.3 are applied before the head is handed out:
/// a request whose end two parsers could see at different places is a fault with code
/// "bad_framing".
class RequestParser {
 public:
  explicit RequestParser(ParserLimits limits);
  ~RequestParser();
  RequestParser(RequestParser&&) noexcept;
  RequestParser& operator=(RequestParser&&) noexcept;

  /// Feeds bytes: those left unconsumed by the last put, with more behind them. Stops after the
  /// head (call again for the body) and at the message's end: what follows is not consumed. Faults:
  /// bad_request, bad_framing (400), head_too_large (431), too_many_fields (431).
  base::Result<Found> put(std::string_view bytes);

  bool head_done() const;
  bool done() const;
  /// Valid once head_done(); trailers never change it.
  RequestHead& head();
  std::optional<std::uint64_t> content_length() const;
  bool chunked() const;
  /// RFC 9112 9.3, from the head alone.
  bool keep_alive() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads one final response; 1xx heads are skipped; 101 is a fault, for we never ask for it.
class ResponseParser {
 public:
  /// `to_head`: the request was HEAD, the response has no body whatever its fields say.
  ResponseParser(ParserLimits limits, bool to_head);
  ~ResponseParser();
  ResponseParser(ResponseParser&&) noexcept;
  ResponseParser& operator=(ResponseParser&&) noexcept;

  /// As above. Fault: bad_upstream_response, also for framing (Content-Length together with chunked
  /// and the like).
  base::Result<Found> put(std::string_view bytes);
  /// The connection ended. Fault upstream_broken when that cuts the message (Retry::reused_only
  /// when not a byte had come); done() afterwards otherwise.
  base::Result<void> put_eof();

  bool head_done() const;
  bool done() const;
  /// Whether any byte of the response was seen, 1xx included.
  bool started() const;
  ResponseHead& head();
  std::optional<std::uint64_t> content_length() const;
  bool chunked() const;
  /// The body ends with the connection.
  bool until_eof() const;
  bool keep_alive() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace slotswap::http
