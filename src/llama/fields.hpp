// Members of a llama-server's JSON, read by hand: a missing or a wrong one is none. Private to this
// room.
#pragma once

#include <slotswap/base/fault.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slotswap::llama {

boost::json::value const* member(boost::json::object const& object, std::string_view name);
boost::json::object const* object_member(boost::json::object const& object, std::string_view name);
boost::json::array const* array_member(boost::json::object const& object, std::string_view name);
std::optional<std::string> text_member(boost::json::object const& object, std::string_view name);
std::optional<bool> bool_member(boost::json::object const& object, std::string_view name);

/// An integer that is not negative: everything this room counts is one.
std::optional<std::int64_t> count_member(boost::json::object const& object, std::string_view name);

/// The fault of an answer that is not what llama-server says: what was asked, what was missing.
base::Fault bad_answer(std::string_view what);

/// The answer's JSON; a fault "bad_answer" that names `what` when it is none.
base::Result<boost::json::value> parse_answer(std::string_view body, std::string_view what);

}  // namespace slotswap::llama
