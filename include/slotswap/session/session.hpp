// Which session a request belongs to. Pure.
#pragma once

#include <slotswap/base/fault.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slotswap::session {

/// The name of a session's state: 32 lowercase hex digits, safe in a file name. An id of exactly
/// that form is used as it is where no tenant applies; any other is the head of a SHA-256 over
/// tenant and id. (An id with the eight digits that anonymous or isolated ids begin with is hashed
/// too.)
std::string state_id(std::string_view client_id, std::string_view tenant = {});

/// The id of the one session that requests without a session share on a route; no client can name
/// it.
std::string anonymous_id(std::string_view route);

/// The id under which a session's isolated requests run; no client can name it.
std::string isolated_id(std::string_view session);

/// The client's session id out of the X-Session-ID fields: none when absent or empty (blanks around
/// do not count); one when doubled with equal values. Different values: a fault "session_conflict".
base::Result<std::optional<std::string>> client_id(std::vector<std::string_view> const& values);

/// The tag that a model's files begin with: readable, safe, told apart by a digest.
/// Every character outside [A-Za-z0-9_-] becomes _, cut at 40, then - and 8 hex digits of the
/// name's SHA-256.
std::string model_tag(std::string_view model);

}  // namespace slotswap::session
