#include "body_reader.hpp"
#include "framing.hpp"
#include "head_grammar.hpp"
#include "head_scanner.hpp"

#include <slotswap/http/parser.hpp>

#include <string>
#include <utility>

namespace slotswap::http {

namespace {

// Empty lines before a request line are tolerated (RFC 9112 2.2), but not an endless row of them.
constexpr std::size_t max_empty_lines = 4;
constexpr std::string_view crlf = "\r\n";

base::Fault refused(HeadScanner::State state, std::size_t limit) {
  switch (state) {
    case HeadScanner::State::too_long:
      return {base::Side::client, "head_too_large",
              "The request's head is longer than " + std::to_string(limit) + " bytes."};
    case HeadScanner::State::folded:
      return {base::Side::client, "bad_framing", "A header field is folded over two lines."};
    default:
      return {base::Side::client, "bad_request",
              "The request's head has a control character, or a line that does not end in CRLF."};
  }
}

}  // namespace

struct RequestParser::Impl {
  explicit Impl(ParserLimits limits_) : limits(limits_), scanner(limits_.head_bytes) {}

  std::size_t skip_empty_lines(std::string_view bytes);
  base::Result<void> read_head(std::string_view text);

  ParserLimits limits;
  HeadScanner scanner;
  std::size_t empty_lines = 0;
  bool head_done = false;
  RequestHead head;
  Framing framing;
  bool keep_alive = false;
  BodyReader body;
};

std::size_t RequestParser::Impl::skip_empty_lines(std::string_view bytes) {
  std::size_t skipped = 0;
  while (scanner.size() == 0 && empty_lines < max_empty_lines &&
         bytes.substr(skipped).starts_with(crlf)) {
    skipped += crlf.size();
    ++empty_lines;
  }
  return skipped;
}

base::Result<void> RequestParser::Impl::read_head(std::string_view text) {
  auto parsed = parse_request_head(text, limits.fields);
  if (!parsed) return parsed.error();
  auto const framed = frame_request(*parsed);
  if (!framed) return framed.error();
  head = std::move(*parsed);
  framing = *framed;
  keep_alive = keeps_alive(head.minor, head.fields);
  body = BodyReader(framing, limits.pending_bytes);
  head_done = true;
  return {};
}

RequestParser::RequestParser(ParserLimits limits) : impl_(std::make_unique<Impl>(limits)) {}
RequestParser::~RequestParser() = default;
RequestParser::RequestParser(RequestParser&&) noexcept = default;
RequestParser& RequestParser::operator=(RequestParser&&) noexcept = default;

base::Result<Found> RequestParser::put(std::string_view bytes) {
  Found found;
  if (impl_->head_done) {
    if (impl_->body.put(bytes, found.consumed, found.pieces)) return found;
    return base::Fault(
        base::Side::client, "bad_framing",
        "The request's body is malformed: " + std::string(impl_->body.problem()) + ".");
  }
  found.consumed = impl_->skip_empty_lines(bytes);
  auto const text = bytes.substr(found.consumed);
  // A lone CR may be half of an empty line; the scanner must not begin at it.
  if (text == crlf.substr(0, 1)) return found;
  auto const state = impl_->scanner.scan(text);
  if (state == HeadScanner::State::more) return found;
  if (state != HeadScanner::State::found) return refused(state, impl_->limits.head_bytes);
  auto const size = impl_->scanner.size();
  auto const read = impl_->read_head(text.substr(0, size));
  if (!read) return read.error();
  found.consumed += size;
  return found;
}

bool RequestParser::head_done() const {
  return impl_->head_done;
}
bool RequestParser::done() const {
  return impl_->head_done && impl_->body.done();
}
RequestHead& RequestParser::head() {
  return impl_->head;
}
std::optional<std::uint64_t> RequestParser::content_length() const {
  return impl_->framing.content_length;
}
bool RequestParser::chunked() const {
  return impl_->framing.kind == BodyKind::chunked;
}
bool RequestParser::keep_alive() const {
  return impl_->keep_alive;
}

}  // namespace slotswap::http
