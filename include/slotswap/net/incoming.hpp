// One request of a client, as its handler sees it: read the body, know when the client left,
// answer. Valid until the handler returns. Loop thread.
#pragma once

#include <slotswap/base/fault.hpp>
#include <slotswap/http/message.hpp>
#include <slotswap/http/problem.hpp>
#include <slotswap/net/body.hpp>
#include <slotswap/net/loop.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slotswap::net {

class Incoming {
 public:
  virtual ~Incoming() = default;

  virtual http::RequestHead& head() = 0;
  /// ADDRESS:PORT of the client.
  virtual std::string const& peer() const = 0;

  /// The whole body. Answers Expect: 100-continue when the length is acceptable.
  /// Faults: body_too_large, buffers_full, client_gone, request_timeout, bad_request, bad_framing,
  /// expectation_failed.
  virtual awaitable<base::Result<std::shared_ptr<Body const>>> read_body(
      std::uint64_t limit, std::shared_ptr<Budget> budget) = 0;

  /// The client closed its connection or its sending side, or reset it.
  virtual bool gone() const = 0;
  /// Called at once when the client leaves, from the loop and not inside another call of this
  /// object. Null takes it back.
  virtual void on_gone(std::function<void()> left) = 0;

  /// A whole answer. The connection's own fields (framing, Connection) are added.
  virtual awaitable<bool> respond(http::ResponseHead head, std::string body) = 0;
  virtual awaitable<bool> respond(http::Problem problem) = 0;

  /// A streamed answer: begin, then append and flush as often as there is something, then finish.
  /// With `content_length` none the body is chunked, or ends with the connection for an HTTP/1.0
  /// client.
  virtual void begin(http::ResponseHead head, std::optional<std::uint64_t> content_length) = 0;
  /// Copies the pieces; nothing is sent before flush.
  virtual void append(std::vector<std::string_view> const& pieces) = 0;
  /// Sends what is waiting. False: the client is gone.
  virtual awaitable<bool> flush() = 0;
  virtual awaitable<bool> finish() = 0;
  /// Ends a streamed answer so that the client cannot take it for complete.
  virtual void abort() = 0;
  virtual bool begun() const = 0;
};

using Handler = std::function<awaitable<void>(Incoming&)>;

}  // namespace slotswap::net
