#include "body_reader.hpp"
#include "framing.hpp"
#include "head_grammar.hpp"
#include "head_scanner.hpp"

#include <slotswap/http/parser.hpp>

#include <string>
#include <utility>

namespace slotswap::http {

namespace {

// A server that only ever announces would hold the request for good.
constexpr int max_interim = 16;

base::Fault bad_response(std::string const& what) {
  return {base::Side::server, "bad_upstream_response", "The upstream server's response " + what};
}

base::Fault refused(HeadScanner::State state, std::size_t limit) {
  switch (state) {
    case HeadScanner::State::too_long:
      return bad_response("has a head longer than " + std::to_string(limit) + " bytes.");
    case HeadScanner::State::folded:
      return bad_response("has a field folded over two lines.");
    default:
      return bad_response(
          "has a control character in its head, or a line that does not end in CRLF.");
  }
}

}  // namespace

struct ResponseParser::Impl {
  Impl(ParserLimits limits_, bool to_head_)
      : limits(limits_), to_head(to_head_), scanner(limits_.head_bytes) {}

  base::Result<void> read_head(std::string_view text);
  base::Result<void> accept(ResponseHead&& parsed);

  ParserLimits limits;
  bool to_head;
  HeadScanner scanner;
  int interim = 0;
  bool started = false;
  bool head_done = false;
  ResponseHead head;
  Framing framing;
  bool keep_alive = false;
  BodyReader body;
};

// An interim response leaves head_done false and the scanner at the next head.
base::Result<void> ResponseParser::Impl::read_head(std::string_view text) {
  auto parsed = parse_response_head(text, limits.fields);
  if (!parsed) return parsed.error();
  if (parsed->status < 100) return bad_response("has a status below 100.");
  if (parsed->status == 101) return bad_response("switches protocols, which nobody asked for.");
  if (parsed->status >= 200) return accept(std::move(*parsed));
  if (++interim > max_interim) return bad_response("is one interim response after the other.");
  scanner = HeadScanner(limits.head_bytes);
  return {};
}

base::Result<void> ResponseParser::Impl::accept(ResponseHead&& parsed) {
  auto const framed = frame_response(parsed, to_head);
  if (!framed) return framed.error();
  head = std::move(parsed);
  framing = *framed;
  keep_alive = framing.kind != BodyKind::until_eof && keeps_alive(head.minor, head.fields);
  body = BodyReader(framing, limits.pending_bytes);
  head_done = true;
  return {};
}

ResponseParser::ResponseParser(ParserLimits limits, bool to_head)
    : impl_(std::make_unique<Impl>(limits, to_head)) {}
ResponseParser::~ResponseParser() = default;
ResponseParser::ResponseParser(ResponseParser&&) noexcept = default;
ResponseParser& ResponseParser::operator=(ResponseParser&&) noexcept = default;

base::Result<Found> ResponseParser::put(std::string_view bytes) {
  Found found;
  if (!bytes.empty()) impl_->started = true;
  if (impl_->head_done) {
    auto const fine = impl_->body.put(bytes, found.consumed, found.pieces);
    // What came whole is the client's; the fault comes with the next put, from the byte that is
    // left.
    if (fine || !found.pieces.empty()) return found;
    return bad_response("has a malformed body: " + std::string(impl_->body.problem()) + ".");
  }
  while (!impl_->head_done) {
    auto const text = bytes.substr(found.consumed);
    auto const state = impl_->scanner.scan(text);
    if (state == HeadScanner::State::more) break;
    if (state != HeadScanner::State::found) return refused(state, impl_->limits.head_bytes);
    auto const size = impl_->scanner.size();
    auto const read = impl_->read_head(text.substr(0, size));
    if (!read) return read.error();
    found.consumed += size;
  }
  return found;
}

base::Result<void> ResponseParser::put_eof() {
  if (impl_->head_done && impl_->body.put_eof()) return {};
  if (!impl_->started) {
    return base::Fault(base::Side::server, "upstream_broken",
                       "The upstream server closed the connection without an answer.",
                       base::Retry::reused_only);
  }
  return base::Fault(base::Side::server, "upstream_broken",
                     "The upstream server closed the connection inside its response.");
}

bool ResponseParser::head_done() const {
  return impl_->head_done;
}
bool ResponseParser::done() const {
  return impl_->head_done && impl_->body.done();
}
bool ResponseParser::started() const {
  return impl_->started;
}
ResponseHead& ResponseParser::head() {
  return impl_->head;
}
std::optional<std::uint64_t> ResponseParser::content_length() const {
  return impl_->framing.content_length;
}
bool ResponseParser::chunked() const {
  return impl_->framing.kind == BodyKind::chunked;
}
bool ResponseParser::until_eof() const {
  return impl_->framing.kind == BodyKind::until_eof;
}
bool ResponseParser::keep_alive() const {
  return impl_->keep_alive;
}

}  // namespace slotswap::http
