// What a request says, as far as the prompt cache cares: its model, and its prompt as parts in
// order. Pure; a body of 10 MB takes tens of milliseconds, so read large ones off the loop thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slotswap::prompt {

/// A message of `messages`, or the one part of a `prompt` string (role empty).
struct Part {
  Part(std::string role_, std::string text_) : role(std::move(role_)), text(std::move(text_)) {}
  bool operator==(Part const&) const = default;
  std::string role;
  std::string text;  // a string's text, or the text parts of a content list joined
};

struct Prompt {
  std::vector<Part> parts;
  std::size_t bytes() const;  // of memory, about
};

struct RequestFacts {
  bool readable = false;  // the body is a JSON object
  std::optional<std::string>
      model;  // a string member; the last of doubled ones, as llama-server takes it
  bool stream = false;
  std::string prompt_digest;  // 16 hex digits of a SHA-256 over the parts; empty without a prompt
  std::optional<Prompt> prompt;  // chat completions, messages and completion prompts; else none
  // As llama-server takes them, whatever the dialect calls them.
  std::optional<std::uint64_t> max_tokens;  // of the answer; none: no limit is asked for
  std::int64_t choices = 1;                 // n
  std::optional<std::int64_t> id_slot;      // the slot that is asked for
  /// Of the prompt with its tools and all: bytes of text divided by four. None: not readable.
  std::optional<std::uint64_t> estimated_tokens;
};

/// `path` is decoded. Never fails: what cannot be read is left out.
RequestFacts read(std::string_view path, std::string_view body);

/// The body with its model replaced; every other byte unchanged. `body` must be readable.
std::string with_model(std::string_view body, std::string_view model);
/// The same with its id_slot.
std::string with_slot(std::string_view body, int slot);

}  // namespace slotswap::prompt
