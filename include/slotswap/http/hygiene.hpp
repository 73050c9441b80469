// What may pass from one connection to the next (RFC 9110 7.6.1), and how a message is framed anew.
#pragma once

#include <slotswap/http/message.hpp>

#include <string>
#include <string_view>

namespace slotswap::http {

/// Removes Connection, the fields it names, and the other fields of one hop (Keep-Alive,
/// Proxy-Connection, TE, Trailer, Transfer-Encoding, Upgrade, Proxy-Authenticate,
/// Proxy-Authorization), and Content-Length: whoever sends the message frames it.
void strip_hop_by_hop(Fields& fields);

/// One chunk around a non-empty piece; an empty piece would end the body and is the caller's
/// mistake (asserted).
void append_chunk(std::string& out, std::string_view piece);
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

}  // namespace slotswap::http
