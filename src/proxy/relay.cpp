#include "relay.hpp"

#include <slotswap/http/hygiene.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace slotswap::proxy {

namespace {

using Kind = slots::Outcome::Kind;

// A router's whole answer when the model's process is just gone and it did not know yet: the
// request ran nowhere, and the next one makes it start the model again.
constexpr std::string_view unreached = "proxy error: Could not establish connection";
constexpr std::size_t longest_unreached = 1024;
// For the router to see that the process is gone; it takes some 100 ms.
constexpr auto before_again = std::chrono::milliseconds(250);

bool may_be_unreached(std::string_view body) {
  return body.size() <= longest_unreached &&
         (body.starts_with(unreached) || unreached.starts_with(body));
}

// What was read of a body before any of it was passed on.
struct Opening {
  Opening() = default;
  std::string bytes;
  std::optional<base::Result<bool>> end;  // what read_body said at the end, if that came
  bool unreached() const { return end && end->has_value() && bytes.starts_with(proxy::unreached); }
};

base::Fault stuck_fault() {
  return base::Fault(base::Side::server, "upstream_stuck",
                     "the server took the request and did not begin an answer, while its slot "
                     "stood idle (routes: stuck_seconds)");
}

void fail(Relayed& relayed, base::Fault fault, swap::Cancel const& cancel, bool sent) {
  if (!sent) {
    relayed.outcome.kind = Kind::not_sent;
  } else {
    // A time-out is ours, and so is an answer that we cannot read: the server may still be at work,
    // as after a client that left.
    auto const ours = cancel.requested() || fault.code == "upstream_timeout" ||
                      fault.code == "upstream_stuck" || fault.code == "bad_upstream_response" ||
                      fault.code == "closed";
    relayed.outcome.kind = ours ? Kind::cancelled : Kind::broken;
    relayed.cut = true;
  }
  relayed.fault = std::move(fault);
}

/// The connection on which the answer's head has come; none with relayed.fault set.
net::awaitable<std::shared_ptr<net::UpstreamConnection>> exchange_heads(
    http::RequestHead const& head, Backend& backend, std::shared_ptr<net::Body const> body,
    swap::Cancel& cancel, bool fresh, StuckWatch* watch, Relayed& relayed) {
  auto const text = http::serialize(head);
  for (;; fresh = true) {
    auto connection = backend.server.upstream().take(fresh);
    cancel.on_request([raw = connection.get()] { raw->close(); });
    auto const connected = co_await connection->connect();
    if (connected.has_error() || cancel.requested()) {
      auto const fault =
          connected.has_error() ? connected.error() : base::Fault(base::Side::client, "closed", "");
      fail(relayed, fault, cancel, false);
      cancel.on_request(nullptr);
      connection->close();
      co_return nullptr;
    }
    connection->send(text, body);
    if (watch != nullptr) watch->start(connection);
    auto const to_head = head.method == "HEAD";
    auto const headed = co_await connection->read_head(to_head, backend.settings.first_byte);
    auto const stuck = watch != nullptr && watch->stop();
    if (!headed.has_error()) co_return connection;
    cancel.on_request(nullptr);
    connection->close();
    auto const again =
        headed.error().retry == base::Retry::reused_only && !fresh && !cancel.requested();
    if (again) {
      relayed.outcome.resent = true;
      continue;
    }
    relayed.stuck = stuck;
    fail(relayed, stuck ? stuck_fault() : headed.error(), cancel, true);
    co_return nullptr;
  }
}

/// As long as the body may be `unreached`.
net::awaitable<Opening> read_opening(net::UpstreamConnection& connection, base::Duration idle) {
  Opening opening;
  if (connection.content_length().value_or(0) > longest_unreached) co_return opening;
  std::vector<std::string_view> pieces;
  while (may_be_unreached(opening.bytes)) {
    auto more = co_await connection.read_body(pieces, idle);
    if (more.has_error() || !*more) {
      opening.end = std::move(more);
      break;
    }
    for (auto const piece : pieces) opening.bytes += piece;
  }
  co_return opening;
}

net::awaitable<void> relay_body(net::Incoming& incoming, net::UpstreamConnection& connection,
                                Opening const& opening, base::Duration idle, swap::Cancel& cancel,
                                llama::Tap& tap, Relayed& relayed) {
  std::vector<std::string_view> pieces;
  auto const opened = !opening.bytes.empty();
  // The head of a stream must not wait for its first event.
  auto const waits = !opened && !opening.end && !connection.buffered();
  if (waits) co_await incoming.flush();
  for (auto first = opened;; first = false) {
    auto more = opening.end.value_or(true);
    if (first) {
      more = true;
      pieces.assign(1, opening.bytes);
    } else if (!opening.end) {
      more = co_await connection.read_body(pieces, idle);
    }
    if (more.has_error()) {
      fail(relayed, more.error(), cancel, true);
      // The head may still be waiting: a client must see that an answer had begun.
      co_await incoming.flush();
      incoming.abort();
      co_return;
    }
    if (!*more) break;
    for (auto const piece : pieces) {
      tap.put(piece);
      relayed.bytes += piece.size();
    }
    relayed.outcome.had_event = true;
    incoming.append(pieces);
    auto const sent = co_await incoming.flush();
    if (sent) continue;
    // At its end it may be another request's already.
    if (!opening.end) connection.close();
    fail(relayed,
         base::Fault(base::Side::client, "client_gone", "the client left during the answer"),
         cancel, true);
    relayed.outcome.kind = Kind::cancelled;
    co_return;
  }
  relayed.outcome.kind = Kind::complete;
  cancel.on_request(nullptr);
  co_await incoming.finish();
}

// An answer that came to its end in good order and is none: the router lost the model's process.
void note_proxy_error(std::string_view words, Relayed& relayed) {
  if (words.empty() || relayed.outcome.kind != Kind::complete) return;
  relayed.outcome.kind = Kind::broken;
  // Its 500 is a whole answer, what stands behind a 200 is not.
  relayed.cut = relayed.outcome.status < 300;
  relayed.fault = base::Fault(base::Side::server, "upstream_broken",
                              "the router lost the model's process: " + std::string(words));
}

}  // namespace

net::awaitable<void> pause(net::Loop& loop, base::Duration moment, swap::Cancel& cancel) {
  net::Signal left(loop);
  cancel.on_request([&left] { left.notify(); });
  if (!cancel.requested()) co_await left.wait_until(loop.now() + moment);
  cancel.on_request(nullptr);
}

http::RequestHead upstream_head(http::RequestHead const& client, llama::Server& server,
                                std::size_t body_bytes) {
  http::RequestHead head;
  head.method = client.method;
  head.target = client.target == "*" ? client.target : server.prefix() + client.target;
  head.fields = client.fields;
  http::strip_hop_by_hop(head.fields);
  // We answered it ourselves: the whole body is here.
  head.fields.erase("Expect");
  head.fields.set("Host", server.upstream().authority());
  auto const carries = client.method == "POST" || client.method == "PUT" ||
                       client.method == "PATCH" || body_bytes > 0;
  if (carries) head.fields.set("Content-Length", std::to_string(body_bytes));
  if (!server.api_key().empty()) {
    head.fields.erase("X-Api-Key");
    head.fields.set("Authorization", "Bearer " + server.api_key());
  }
  return head;
}

http::ResponseHead client_head(http::ResponseHead const& upstream) {
  auto head = upstream;
  http::strip_hop_by_hop(head.fields);
  return head;
}

net::awaitable<Relayed> relay(net::Loop& loop, net::Incoming& incoming, Backend& backend,
                              std::shared_ptr<net::Body const> body, swap::Cancel& cancel,
                              Try which, StuckWatch* watch) {
  Relayed relayed;
  auto const fresh = which != Try::first;
  auto const idle = backend.settings.idle_stream;
  auto const head = upstream_head(incoming.head(), backend.server, body ? body->bytes().size() : 0);
  auto const connection =
      co_await exchange_heads(head, backend, body, cancel, fresh, watch, relayed);
  Opening opening;
  auto const error = connection && connection->response().status == 500;
  if (error) opening = co_await read_opening(*connection, idle);
  // At its end the connection is in the pool: not ours to close.
  if (opening.end) cancel.on_request(nullptr);
  if (opening.unreached() && !cancel.requested() && which != Try::second) {
    relayed.again = true;
    // What the slot held went with the process.
    relayed.outcome.kind = Kind::broken;
    co_await pause(loop, before_again, cancel);
    co_return relayed;
  }
  if (!connection) co_return relayed;
  relayed.first_byte = loop.now();
  auto const& response = connection->response();
  relayed.outcome.status = response.status;
  // A router's own words are sent as JSON and are none; whatever their type, they are read.
  llama::Tap tap(response.status == 500 ? "application/json" : response.fields.get("Content-Type"));
  incoming.begin(client_head(response), connection->content_length());
  co_await relay_body(incoming, *connection, opening, idle, cancel, tap, relayed);
  cancel.on_request(nullptr);
  note_proxy_error(tap.proxy_error(), relayed);
  relayed.timings = tap.finish();
  co_return relayed;
}

}  // namespace slotswap::proxy
