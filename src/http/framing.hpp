// What ends a message's body (RFC 9112 6.3), stricter than the RFC where parsers differ: a message
// that two of them could cut at different places is refused, not repaired.
#pragma once

#include <slotswap/base/fault.hpp>
#include <slotswap/http/message.hpp>

#include <cstdint>
#include <optional>

namespace slotswap::http {

enum class BodyKind { none, length, chunked, until_eof };

struct Framing {
  BodyKind kind = BodyKind::none;
  std::optional<std::uint64_t>
      content_length;  // as the fields say; for a HEAD's or 304's answer with kind none
};

/// Also checks what else must hold for a request's head: method, target, Host. Faults: bad_request,
/// bad_framing.
base::Result<Framing> frame_request(RequestHead const& head);
/// Faults: bad_upstream_response.
base::Result<Framing> frame_response(ResponseHead const& head, bool to_head);

/// RFC 9112 9.3.
bool keeps_alive(int minor, Fields const& fields);

}  // namespace slotswap::http
