#include "connection.hpp"

#include <slotswap/http/hygiene.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

namespace slotswap::net {

namespace {

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);
// More than a head may have, so that the parser is the one to refuse it.
constexpr std::size_t in_limit = 64 * 1024;
constexpr std::size_t linger_bytes = 8 * 1024 * 1024;
constexpr auto linger_time = std::chrono::milliseconds(500);
constexpr std::size_t reserve_limit = 1024 * 1024;

base::Fault too_large(std::uint64_t limit) {
  return base::Fault(
      base::Side::client, "body_too_large",
      "the body is over the limit of " + std::to_string(limit) + " bytes (limits: body_mib)");
}

}  // namespace

Connection::Connection(Loop& loop, Stream stream, std::string peer,
                       std::shared_ptr<Service const> service)
    : loop_(loop),
      stream_(std::move(stream)),
      service_(std::move(service)),
      peer_(std::move(peer)),
      more_(loop),
      watchdog_(loop, [this] { expired(); }) {}

// One read is waited for at any time while there is room: it is how a client that leaves is
// noticed, whatever the server does. With no room left only a reset can be noticed.
void Connection::watch() {
  if (gone_ || !stream_.is_open()) return;
  auto const room = in_.size() < in_limit;
  auto& pending = room ? reading_ : watching_errors_;
  if (pending) return;
  pending = true;
  auto self = shared_from_this();
  if (room && stream_.has_more()) {
    asio::post(loop_.context(), [self] { self->readable(error_code{}); });
  } else if (room) {
    stream_.wait_to_read([self](error_code ec) { self->readable(ec); });
  } else {
    stream_.wait_for_error([self](error_code) {
      self->watching_errors_ = false;
      self->take(asio::error::connection_reset, 0);
    });
  }
}

void Connection::readable(error_code ec) {
  reading_ = false;
  if (ec) return take(ec, 0);
  auto const buffer = loop_.scratch();
  auto const room = std::min(buffer.size(), in_limit - in_.size());
  auto const got = stream_.read_some(buffer.first(room));
  if (got.blocked()) return watch();
  take(got.ec, got.size);
}

void Connection::take(error_code ec, std::size_t size) {
  if (ec) {
    gone_ = true;
  } else {
    in_.append(loop_.scratch().data(), size);
    watch();
  }
  more_.notify();
  if (gone_) {
    // A write that waits for room must not wait for a client that left without reading on.
    stream_.cancel();
  }
  if (gone_ && left_) std::exchange(left_, nullptr)();
}

void Connection::expired() {
  if (writing_) return give_up_writing();
  expired_ = true;
  more_.notify();
  if (phase_ == Phase::handshake || phase_ == Phase::closing) stream_.cancel();
}

// It counts as a client that left, and what waits in the kernel is dropped with it.
void Connection::give_up_writing() {
  base::Fault const fault(base::Side::client, "client_stalled",
                          "the client took no more of its answer (limits: write_stall_seconds)");
  if (service_->settings.rejected) service_->settings.rejected(peer_, fault);
  stream_.reset_at_close();
  take(asio::error::timed_out, 0);
}

// A pause, but not past the end of the time for the whole.
void Connection::await_body(TimePoint until) {
  auto const left = std::max<Duration>(until - loop_.now(), std::chrono::nanoseconds(1));
  watchdog_.expires_in(std::min(service_->settings.header_read, left));
}

base::Fault Connection::late_or_gone() const {
  if (expired_)
    return base::Fault(base::Side::client, "request_timeout", "the request did not come in time");
  return base::Fault(base::Side::client, "client_gone", "the client closed the connection");
}

void Connection::forget_request() {
  http::ParserLimits limits;
  limits.head_bytes = service_->settings.head_bytes;
  parser_.emplace(limits);
  phase_ = Phase::idle;
  begun_ = finished_ = no_body_ = expired_ = false;
  framing_ = Framing::none;
  out_.clear();
}

// False: there will be no request.
awaitable<bool> Connection::shake_hands() {
  phase_ = Phase::handshake;
  watchdog_.expires_in(service_->settings.header_read);
  auto const ec = co_await stream_.handshake();
  watchdog_.off();
  if (!ec) co_return true;
  // One that connects and leaves without a word looks whether we are there.
  if (last_ || (!expired_ && stream_.tls()->silent())) co_return false;
  auto const plain = stream_.tls()->met_plain_http();
  auto const why = expired_ ? std::string("it took too long") : stream_.reason(ec);
  base::Fault const fault(base::Side::client, plain ? "https_needed" : "tls_handshake",
                          plain ? "this port speaks HTTPS, and the request came without TLS"
                                : "the TLS handshake failed: " + why);
  if (service_->settings.rejected) service_->settings.rejected(peer_, fault);
  if (plain) {
    stream_.unsecure();
    co_await turn_away(http::to_problem(fault));
  }
  co_return false;
}

// True: there is a request. False: the connection ended between two.
awaitable<base::Result<bool>> Connection::read_head() {
  watchdog_.expires_in(service_->settings.keep_alive);
  for (;;) {
    if (!in_.empty()) {
      if (phase_ == Phase::idle) {
        phase_ = Phase::head;
        watchdog_.expires_in(service_->settings.header_read);
      }
      auto const found = parser_->put(in_);
      if (found.has_error()) co_return found.error();
      in_.erase(0, found->consumed);
      if (parser_->head_done()) break;
    }
    if (gone_ || last_) co_return false;
    if (expired_ && phase_ == Phase::idle) co_return false;
    if (expired_) co_return late_or_gone();
    watch();
    co_await more_.wait();
  }
  watchdog_.off();
  phase_ = Phase::exchange;
  keep_alive_ = parser_->keep_alive();
  watch();
  co_return true;
}

awaitable<base::Result<void>> Connection::expect_continue() {
  auto const expect = head().fields.get("Expect");
  if (expect.empty()) co_return base::Result<void>();
  if (!head().fields.has_token("Expect", "100-continue")) {
    co_return base::Fault(base::Side::client, "expectation_failed",
                          "Expect: only 100-continue is known");
  }
  if (head().minor == 0 || !in_.empty()) co_return base::Result<void>();
  out_ = "HTTP/1.1 100 Continue\r\n\r\n";
  auto const sent = co_await flush();
  if (!sent) co_return late_or_gone();
  co_return base::Result<void>();
}

awaitable<base::Result<std::shared_ptr<Body const>>> Connection::read_body(
    std::uint64_t limit, std::shared_ptr<Budget> budget) {
  auto body = std::make_shared<Body>(std::move(budget));
  auto const length = parser_->content_length();
  if (length && *length > limit) co_return too_large(limit);
  if (parser_->done()) co_return std::shared_ptr<Body const>(body);
  auto const expected = co_await expect_continue();
  if (expected.has_error()) co_return expected.error();
  if (length) body->reserve(std::min<std::uint64_t>(*length, reserve_limit));
  auto const whole = service_->settings.body_read;
  auto const until = whole > Duration::zero() ? loop_.now() + whole : TimePoint::max();
  while (!parser_->done()) {
    await_body(until);
    while (in_.empty()) {
      if (gone_ || expired_) co_return late_or_gone();
      watch();
      co_await more_.wait();
    }
    auto const found = parser_->put(in_);
    if (found.has_error()) co_return found.error();
    for (auto const piece : found->pieces) {
      if (body->bytes().size() + piece.size() > limit) co_return too_large(limit);
      if (body->append(piece)) continue;
      co_return buffers_full();
    }
    auto const stuck = found->consumed == 0 && !parser_->done();
    in_.erase(0, found->consumed);
    if (!stuck) continue;
    if (gone_ || expired_) co_return late_or_gone();
    watch();
    co_await more_.wait();
  }
  watchdog_.off();
  watch();
  co_return std::shared_ptr<Body const>(body);
}

void Connection::frame(http::ResponseHead& head, std::optional<std::uint64_t> content_length) {
  auto const to_head = this->head().method == "HEAD";
  auto const bodyless = head.status == 204 || head.status == 304 || head.status < 200;
  no_body_ = to_head || bodyless;
  head.minor = 1;
  // A request that was not read to its end cannot be followed by another.
  if (!parser_->done() || last_) keep_alive_ = false;
  if (content_length) {
    framing_ = Framing::length;
    if (head.status != 204) head.fields.set("Content-Length", std::to_string(*content_length));
  } else if (bodyless) {
    framing_ = Framing::none;
  } else if (this->head().minor >= 1) {
    framing_ = Framing::chunked;
    head.fields.set("Transfer-Encoding", "chunked");
  } else {
    framing_ = Framing::until_close;
    keep_alive_ = false;
  }
  if (!keep_alive_) {
    head.fields.set("Connection", "close");
  } else if (this->head().minor == 0) {
    head.fields.set("Connection", "keep-alive");
  }
}

void Connection::begin(http::ResponseHead head, std::optional<std::uint64_t> content_length) {
  begun_ = true;
  frame(head, content_length);
  out_ += http::serialize(head);
}

void Connection::append(std::vector<std::string_view> const& pieces) {
  if (no_body_) return;
  for (auto const piece : pieces) {
    if (piece.empty()) continue;
    if (framing_ == Framing::chunked) {
      http::append_chunk(out_, piece);
    } else {
      out_ += piece;
    }
  }
}

awaitable<bool> Connection::flush() {
  std::string_view left = out_;
  while (!left.empty() && !gone_) {
    auto sent = stream_.write_some(left);
    if (sent.blocked()) {
      writing_ = true;
      watchdog_.expires_in(service_->settings.write_stall);
      auto const [waited] = co_await stream_.wait_to_write(as_result);
      writing_ = false;
      watchdog_.off();
      sent.ec = waited;
    }
    if (sent.ec) gone_ = true;
    left.remove_prefix(sent.ec ? 0 : sent.size);
  }
  out_.clear();
  co_return !gone_;
}

awaitable<bool> Connection::finish() {
  if (framing_ == Framing::chunked && !no_body_) out_ += http::last_chunk;
  finished_ = true;
  co_return co_await flush();
}

awaitable<bool> Connection::respond(http::ResponseHead head, std::string body) {
  begin(std::move(head), body.size());
  if (!no_body_) out_ += body;
  finished_ = true;
  co_return co_await flush();
}

awaitable<bool> Connection::respond(http::Problem problem) {
  auto head = http::problem_head(problem);
  co_return co_await respond(std::move(head), http::problem_body(problem));
}

void Connection::abort() {
  // Its end is the only sign of completeness such an answer has: only a reset says otherwise.
  if (framing_ == Framing::until_close) stream_.reset_at_close();
  finished_ = true;
  keep_alive_ = false;
  close();
}

void Connection::finish_soon() {
  last_ = true;
  if (phase_ == Phase::idle) more_.notify();
  if (phase_ == Phase::handshake) stream_.cancel();
}

void Connection::cut() {
  // Nothing was promised that did not come.
  if (phase_ == Phase::idle) stream_.say_end();
  close();
}

void Connection::close() {
  stream_.close();
}

// False: it could not be said, and the client knows that by TLS.
awaitable<bool> Connection::say_end() {
  watchdog_.expires_in(service_->settings.header_read);
  auto said = stream_.say_end();
  while (said.blocked() && !gone_ && !expired_) {
    co_await stream_.wait_to_write(as_result);
    said = stream_.say_end();
  }
  watchdog_.off();
  co_return !said.ec;
}

// Without this the client's kernel may throw away our last bytes when ours answers its unread ones
// with a reset.
awaitable<void> Connection::linger() {
  phase_ = Phase::closing;
  auto const said = co_await say_end();
  if (!said) co_return;
  stream_.shutdown_send();
  auto const until = loop_.now() + linger_time;
  std::size_t discarded = in_.size();
  in_.clear();
  while (!gone_ && discarded < linger_bytes) {
    watch();
    auto const came = co_await more_.wait_until(until);
    if (!came) break;
    discarded += in_.size();
    in_.clear();
  }
}

awaitable<void> Connection::serve() {
  std::exception_ptr error;
  try {
    co_await service_->handler(*this);
  } catch (...) {
    error = std::current_exception();
  }
  left_ = nullptr;
  if (error) report_exception("request", error);
  if (finished_) co_return;
  if (begun_) {
    abort();
  } else if (!gone_) {
    http::Problem problem(500, "internal_error", "slotswap made a mistake; its log says more");
    co_await respond(std::move(problem));
  }
}

awaitable<void> Connection::run() {
  auto const self = shared_from_this();
  auto ready = true;
  if (stream_.tls() != nullptr) ready = co_await shake_hands();
  while (ready && !gone_ && stream_.is_open()) {
    forget_request();
    auto const request = co_await read_head();
    if (request.has_error()) {
      watchdog_.off();
      if (service_->settings.rejected) service_->settings.rejected(peer_, request.error());
      keep_alive_ = false;
      co_await respond(http::to_problem(request.error()));
    } else if (!*request) {
      stream_.say_end();
      break;
    } else {
      co_await serve();
    }
    if (!keep_alive_) {
      if (!gone_ && stream_.is_open()) co_await linger();
      break;
    }
  }
  watchdog_.off();
  close();
}

awaitable<void> Connection::turn_away(http::Problem problem) {
  auto const self = shared_from_this();
  forget_request();
  keep_alive_ = false;
  co_await respond(std::move(problem));
  co_await linger();
  close();
}

}  // namespace slotswap::net
