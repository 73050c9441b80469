// What is known of a finished request: one per request, whatever became of it; and its log line
// (docs/log.md). Plain data. A number here was measured; what is not known is absent, never zero.
#pragma once

#include <slotswap/base/clock.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace slotswap::report {

struct Receipt {
  std::uint64_t id = 0;
  std::string method;
  std::string path;  // decoded, as the client sent it
  std::string peer;
  std::string route;    // empty: none was chosen
  std::string server;   // its name in the configuration
  std::string session;  // the state's id; empty: not managed
  int status = 0;       // as the client saw it; 499: it left before an answer began
  std::string code;     // of the fault that ended it, a token of docs/errors.md
  std::string detail;
  std::string policy;   // how it was told from its session's story: "", "isolate", "small", ...
  std::string swapped;  // what was done to the slot: "", "save", "save+restore", ...
  std::string slot;     // what the session found there: "resident", "restored", "kept", "cold"
  std::string note;     // why it went on cold, where it did
  std::optional<double> waited_ms;
  std::optional<double> swap_ms;
  std::uint64_t heartbeats = 0;  // with one the client had a 200, whatever the status
  std::optional<double> first_byte_ms;
  double total_ms = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::optional<std::int64_t> reused;  // the server's own cache_n
  std::optional<std::int64_t> read;    // the server's own prompt_n
  bool cut = false;                    // the answer ended before its end
};

void log(Receipt const& receipt);

/// The sentence at the end of the line.
std::string say(Receipt const& receipt);

}  // namespace slotswap::report
