// What is done with a request that is none of its session's story (a title, a summary): what the
// client wants, or else the route's rules. Pure.
#pragma once

#include <slotswap/base/fault.hpp>
#include <slotswap/config/config.hpp>
#include <slotswap/http/message.hpp>
#include <slotswap/prompt/prompt.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace slotswap::session {

/// The client's wish out of the X-Slot-Policy fields: none when absent or empty. Another word than
/// keep, no-save and isolate, or two different ones: a fault "bad_slot_policy".
base::Result<std::optional<config::SideWork>> client_policy(
    std::vector<std::string_view> const& values);

/// What the first rule that matches says; none: no rule matches. `path` is decoded.
std::optional<config::SideWork> side_work(std::vector<config::SideRule> const& rules,
                                          http::Fields const& fields, std::string_view path,
                                          prompt::RequestFacts const& facts);

}  // namespace slotswap::session
