// The readers of bytes from outside, each as one function over an input. The input's first byte
// chooses how it is read (how it is cut, which path); the rest is the text. Broken: a property did
// not hold. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace slotswap::fuzz {

struct Broken : std::logic_error {
  using std::logic_error::logic_error;
};

inline void require(bool holds, char const* property) {
  if (!holds) throw Broken(property);
}

struct Input {
  explicit Input(std::string_view bytes)
      : option(bytes.empty() ? 0U : static_cast<unsigned char>(bytes.front())),
        text(bytes.substr(bytes.empty() ? 0 : 1)) {}
  /// Bytes in a piece when the text is cut.
  [[nodiscard]] std::size_t cut() const { return 1U + option % 16U; }

  std::uint8_t option;
  std::string_view text;
};

void requests(std::string_view input);   // a request's framing, its path
void responses(std::string_view input);  // an answer's framing
void bodies(std::string_view input);     // what a request's JSON says, members spliced into it
void events(std::string_view input);     // server-sent events, read and written
void tap(std::string_view input);        // what an answer says of itself as it passes
void sessions(std::string_view input);   // X-Session-ID, X-Slot-Policy, names of files
void config(std::string_view input);     // the configuration
void states(std::string_view input);     // manifests, the state file
void facts(std::string_view input);      // /props, /slots, /models, slot calls, errors

}  // namespace slotswap::fuzz
