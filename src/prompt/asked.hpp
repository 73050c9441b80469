// What a request asks of the server beside its text, and how long that text is, about. Pure.
#pragma once

#include <slotswap/prompt/prompt.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <string_view>

namespace slotswap::prompt {

void read_asked(std::string_view path, boost::json::object const& body, RequestFacts& facts);

std::uint64_t estimate_tokens(boost::json::object const& body);

}  // namespace slotswap::prompt
