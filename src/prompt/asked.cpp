#include "asked.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>

namespace slotswap::prompt {

namespace {

namespace bj = boost::json;

constexpr std::uint64_t bytes_a_token = 4;

// A fraction is cut, as the server does.
std::optional<std::int64_t> whole_number(bj::value const& value) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  if (auto const* const number = value.if_int64()) return *number;
  if (value.if_uint64() != nullptr) return most;
  auto const* const number = value.if_double();
  if (number == nullptr) return std::nullopt;
  constexpr auto limit = static_cast<double>(std::int64_t{1} << 62);
  if (*number >= limit) return most;
  if (*number <= -limit) return -1;
  // The parser makes 0e400 no number at all.
  return std::isnan(*number) ? 0 : static_cast<std::int64_t>(*number);
}

// Of the first one that is there: what is null counts as absent.
std::optional<std::int64_t> first_number(bj::object const& body,
                                         std::initializer_list<std::string_view> names) {
  for (auto const name : names) {
    auto const* const member = body.if_contains(bj::string_view(name.data(), name.size()));
    auto const number = member != nullptr ? whole_number(*member) : std::nullopt;
    if (number) return number;
  }
  return std::nullopt;
}

// As deep as the parser let it be. Tools are shown to the model with the names of their members,
// messages are not; a number is a token of a prompt that is a list of them.
std::uint64_t text_bytes(bj::value const& value, bool with_names) {
  if (auto const* const text = value.if_string()) return text->size();
  if (value.is_number()) return bytes_a_token;
  std::uint64_t sum = 0;
  if (auto const* const items = value.if_array()) {
    for (auto const& item : *items) sum += text_bytes(item, with_names);
  }
  if (auto const* const object = value.if_object()) {
    for (auto const& [name, member] : *object)
      sum += (with_names ? name.size() : 0) + text_bytes(member, with_names);
  }
  return sum;
}

}  // namespace

void read_asked(std::string_view path, bj::object const& body, RequestFacts& facts) {
  // There llama-server takes nothing else of its own.
  auto const messages = path == "/v1/messages";
  auto const responses = path == "/v1/responses" || path == "/responses";
  auto limit = first_number(body, {"max_tokens"});
  if (responses) {
    limit = first_number(body,
                         {"n_predict", "max_completion_tokens", "max_output_tokens", "max_tokens"});
  } else if (!messages) {
    limit = first_number(body, {"n_predict", "max_completion_tokens", "max_tokens"});
  }
  if (limit && *limit >= 0) facts.max_tokens = static_cast<std::uint64_t>(*limit);
  if (messages) return;
  facts.choices = first_number(body, {"n_cmpl", "n"}).value_or(1);
  auto const slot = first_number(body, {"id_slot"});
  if (slot && *slot >= 0) facts.id_slot = slot;
}

std::uint64_t estimate_tokens(bj::object const& body) {
  std::uint64_t bytes = 0;
  for (auto const& [name, member] : body) {
    if (name == "tools") {
      bytes += text_bytes(member, true);
      continue;
    }
    for (bj::string_view const part : {"messages", "system", "prompt", "input", "instructions",
                                       "input_prefix", "input_suffix", "input_extra"}) {
      if (name == part) bytes += text_bytes(member, false);
    }
  }
  return bytes / bytes_a_token;
}

}  // namespace slotswap::prompt
