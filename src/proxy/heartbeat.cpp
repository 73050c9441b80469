#include "heartbeat.hpp"

#include <utility>

namespace slotswap::proxy {

namespace {

// Of an answer that becomes an event; llama-server's errors are short.
constexpr std::size_t longest_error = 64 * 1024;

bool is_event_stream(http::ResponseHead const& head) {
  return head.status == 200 && head.fields.get("Content-Type").starts_with("text/event-stream");
}

}  // namespace

WaitingStream::WaitingStream(net::Loop& loop, net::Incoming& inner)
    : WrappedIncoming(inner), loop_(loop), tasks_(loop), stopped_(loop) {}

void WaitingStream::beat(llama::Dialect dialect, base::Duration period) {
  dialect_ = dialect;
  period_ = period;
}

void WaitingStream::start() {
  waiting_ = true;
  tasks_.spawn("heartbeats", write_beats());
}

net::awaitable<void> WaitingStream::stop() {
  waiting_ = false;
  stopped_.notify();
  co_await tasks_.join(base::TimePoint::max());
}

net::awaitable<void> WaitingStream::write_beats() {
  auto due = loop_.now() + period_;
  while (waiting_ && !inner_.gone()) {
    // A wake may be one of the last wait's.
    auto const woken = co_await stopped_.wait_until(due);
    if (woken) continue;
    if (beats_ == 0) begin_stream();
    ++beats_;
    std::vector<std::string_view> const beat(1, llama::heartbeat(*dialect_));
    inner_.append(beat);
    co_await inner_.flush();
    due = loop_.now() + period_;
  }
}

void WaitingStream::begin_stream() {
  http::ResponseHead head;
  head.status = 200;
  head.reason = http::reason_phrase(200);
  head.fields.add("Content-Type", "text/event-stream");
  head.fields.add("Cache-Control", "no-cache");
  head.fields.add("X-Accel-Buffering", "no");
  inner_.begin(std::move(head), std::nullopt);
}

net::awaitable<bool> WaitingStream::respond(http::ResponseHead head, std::string body) {
  if (beats_ == 0) {
    begun_ = true;
    co_return co_await inner_.respond(std::move(head), std::move(body));
  }
  begin(std::move(head), body.size());
  std::vector<std::string_view> const whole(1, body);
  append(whole);
  co_return co_await finish();
}

void WaitingStream::begin(http::ResponseHead head, std::optional<std::uint64_t> content_length) {
  begun_ = true;
  if (beats_ == 0) return inner_.begin(std::move(head), content_length);
  if (!is_event_stream(head)) status_ = head.status;
}

void WaitingStream::append(std::vector<std::string_view> const& pieces) {
  if (!status_) return inner_.append(pieces);
  for (auto const piece : pieces) body_ += piece.substr(0, longest_error - body_.size());
}

net::awaitable<bool> WaitingStream::finish() {
  if (status_) {
    auto const events = llama::error_events(*dialect_, *status_, body_);
    std::vector<std::string_view> const pieces(1, events);
    inner_.append(pieces);
  }
  co_return co_await inner_.finish();
}

}  // namespace slotswap::proxy
