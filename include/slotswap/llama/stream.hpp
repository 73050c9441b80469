// What can be said in an event stream of each dialect in the server's place: that it is still to
// come, and that there is an error instead. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace slotswap::llama {

/// How a stream of a path looks.
enum class Dialect {
  chat,       // /chat/completions, /v1/completions: ends in [DONE]
  plain,      // /completion, /completions, /responses: ends with its last event
  anthropic,  // /messages
};

/// Of a decoded path; none: what it answers is no stream of these.
std::optional<Dialect> dialect_of(std::string_view path);

/// What goes before the first event, or between two, to say that more is to come.
std::string_view heartbeat(Dialect dialect);

/// The event, and the end, of a stream whose answer is an error. `body` is the answer's: what it
/// says under "error" is passed as it is, any other one is quoted.
std::string error_events(Dialect dialect, int status, std::string_view body);

}  // namespace slotswap::llama
