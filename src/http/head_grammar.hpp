// The grammar of a whole head, by Beast's basic_parser (its only includer). What frames the body is
// not decided here: Beast 1.81 takes "Transfer-Encoding: gzip" for no body at all, so framing.hpp
// reads the fields itself.
#pragma once

#include <slotswap/base/fault.hpp>
#include <slotswap/http/message.hpp>

#include <cstddef>
#include <string_view>

namespace slotswap::http {

/// `text` is exactly one head, its blank line included, as HeadScanner found it.
/// Faults: bad_request, bad_framing, too_many_fields.
base::Result<RequestHead> parse_request_head(std::string_view text, std::size_t max_fields);
/// Faults: bad_upstream_response.
base::Result<ResponseHead> parse_response_head(std::string_view text, std::size_t max_fields);

}  // namespace slotswap::http
