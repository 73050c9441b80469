// Forwards one request and its answer, byte for byte, each piece as it comes. Loop thread.
#pragma once

#include "stuck.hpp"

#include <slotswap/llama/tap.hpp>
#include <slotswap/net/incoming.hpp>
#include <slotswap/proxy/proxy.hpp>
#include <slotswap/slots/slot.hpp>
#include <slotswap/swap/cancel.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace slotswap::proxy {

struct Relayed {
  Relayed() = default;
  slots::Outcome outcome;
  base::Fault fault;   // code empty: none
  bool cut = false;    // the client may have got less than a whole answer
  bool again = false;  // a router had lost the model's process: to be sent once more
  bool stuck = false;  // the server had forgotten it, and nothing of an answer had come
  std::optional<base::TimePoint> first_byte;
  std::uint64_t bytes = 0;
  llama::Timings timings;
};

/// What the server gets to see of a client's request.
http::RequestHead upstream_head(http::RequestHead const& client, llama::Server& server,
                                std::size_t body_bytes);

/// What the client gets to see of the server's answer.
http::ResponseHead client_head(http::ResponseHead const& upstream);

/// A moment; shorter where the client leaves.
net::awaitable<void> pause(net::Loop& loop, base::Duration moment, swap::Cancel& cancel);

enum class Try {
  first,
  afresh,  // not on a kept connection
  second,  // the same, and whatever the answer is, it is passed on
};

/// Sends the request and relays the answer to its end. Where no byte of an answer came, nothing is
/// sent to the client: the caller answers for `fault`. A request goes out a second time only when a
/// kept connection turned out to be closed. A router's answer that it could not reach the model's
/// process is held back before the second try (`again`, a moment after it came). `watch` may be
/// null: nobody can tell whether the request is stuck.
net::awaitable<Relayed> relay(net::Loop& loop, net::Incoming& incoming, Backend& backend,
                              std::shared_ptr<net::Body const> body, swap::Cancel& cancel,
                              Try which, StuckWatch* watch);

}  // namespace slotswap::proxy
