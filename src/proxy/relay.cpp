#include "relay.hpp"

#include <slotswap/http/hygiene.hpp>

#include <utility>
#include <vector>

namespace slotswap::proxy {

namespace {

using Kind = slots::Outcome::Kind;

void fail(Relayed& relayed, base::Fault fault, swap::Cancel const& cancel, bool sent) {
  if (!sent) {
    relayed.outcome.kind = Kind::not_sent;
  } else {
    // A time-out is ours: the server may still be at work, as after a client that left.
    auto const ours =
        cancel.requested() || fault.code == "upstream_timeout" || fault.code == "closed";
    relayed.outcome.kind = ours ? Kind::cancelled : Kind::broken;
  }
  relayed.fault = std::move(fault);
}

/// The connection on which the answer's head has come; none with relayed.fault set.
net::awaitable<std::shared_ptr<net::UpstreamConnection>> exchange_heads(
    http::RequestHead const& head, llama::Server& server, base::Duration wait,
    std::shared_ptr<net::Body const> body, swap::Cancel& cancel, Relayed& relayed) {
  auto const text = http::serialize(head);
  for (bool fresh = false;; fresh = true) {
    auto connection = server.upstream().take(fresh);
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
    auto const headed = co_await connection->read_head(head.method == "HEAD", wait);
    if (!headed.has_error()) co_return connection;
    cancel.on_request(nullptr);
    connection->close();
    auto const again =
        headed.error().retry == base::Retry::reused_only && !fresh && !cancel.requested();
    if (again) {
      relayed.outcome.resent = true;
      continue;
    }
    fail(relayed, headed.error(), cancel, true);
    co_return nullptr;
  }
}

net::awaitable<void> relay_body(net::Incoming& incoming, net::UpstreamConnection& connection,
                                base::Duration idle, swap::Cancel& cancel, llama::Tap& tap,
                                Relayed& relayed) {
  std::vector<std::string_view> pieces;
  // The head of a stream must not wait for its first event.
  if (!connection.buffered()) co_await incoming.flush();
  for (;;) {
    auto const more = co_await connection.read_body(pieces, idle);
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
    connection.close();
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

}  // namespace

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

net::awaitable<Relayed> relay(net::Loop& loop, net::Incoming& incoming, llama::Server& server,
                              config::Server const& settings, std::shared_ptr<net::Body const> body,
                              swap::Cancel& cancel) {
  Relayed relayed;
  auto const head = upstream_head(incoming.head(), server, body ? body->bytes().size() : 0);
  auto const connection =
      co_await exchange_heads(head, server, settings.first_byte, body, cancel, relayed);
  if (!connection) co_return relayed;
  relayed.first_byte = loop.now();
  relayed.outcome.status = connection->response().status;
  llama::Tap tap(connection->response().fields.get("Content-Type"));
  incoming.begin(client_head(connection->response()), connection->content_length());
  co_await relay_body(incoming, *connection, settings.idle_stream, cancel, tap, relayed);
  cancel.on_request(nullptr);
  relayed.timings = tap.finish();
  co_return relayed;
}

}  // namespace slotswap::proxy
