// Feeds a parser as a connection does (unconsumed bytes are kept, with new ones behind them) and
// notes all that can be seen of it, so that two ways of cutting the same bytes can be compared.
#pragma once

#include <slotswap/http/parser.hpp>

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace slotswap::http::testing {

struct Outcome {
  std::string code;  // of the fault; empty without one
  std::string head;  // serialized, when there is one
  std::string body;
  std::string rest;  // what was not consumed
  bool done = false;

  bool operator==(Outcome const&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, Outcome const& outcome) {
  return out << "{code=" << outcome.code << " done=" << outcome.done << " body=" << outcome.body
             << " rest=" << outcome.rest << "\n"
             << outcome.head << "}";
}

/// The size of the next piece, given where it begins.
using Cut = std::function<std::size_t(std::size_t)>;

inline Cut whole() {
  return [](std::size_t) { return std::string_view::npos; };
}
inline Cut by(std::size_t size) {
  return [size](std::size_t) { return size; };
}

template <class Parser>
Outcome feed(Parser& parser, std::string_view input, Cut const& cut) {
  Outcome outcome;
  std::string buffer;
  auto const put = [&] {
    for (auto progress = true; progress && !parser.done();) {
      auto const had_head = parser.head_done();
      auto const found = parser.put(buffer);
      if (!found) {
        outcome.code = found.error().code;
        return false;
      }
      for (auto const piece : found->pieces) outcome.body += piece;
      buffer.erase(0, found->consumed);
      progress = found->consumed > 0 || had_head != parser.head_done();
    }
    return true;
  };
  std::size_t at = 0;
  while (at < input.size() && outcome.code.empty()) {
    auto const piece = input.substr(at, cut(at));
    at += piece.size();
    buffer += piece;
    if (!put()) break;
  }
  if (parser.head_done()) outcome.head = serialize(parser.head());
  outcome.done = parser.done();
  // A fault takes the pieces of its put with it, and the connection is closed: what came before and
  // what is left in the buffer mean nothing.
  if (!outcome.code.empty()) outcome.body.clear();
  if (outcome.code.empty()) outcome.rest = buffer + std::string(input.substr(at));
  return outcome;
}

inline Outcome feed_request(std::string_view input, Cut const& cut = whole(),
                            ParserLimits limits = {}) {
  RequestParser parser(limits);
  return feed(parser, input, cut);
}

inline Outcome feed_response(std::string_view input, Cut const& cut = whole(), bool to_head = false,
                             ParserLimits limits = {}) {
  ResponseParser parser(limits, to_head);
  return feed(parser, input, cut);
}

}  // namespace slotswap::http::testing
