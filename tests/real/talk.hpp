// What clients say to a llama-server, straight or through the proxy, and what came back, with the
// server's own counts.
#pragma once

#include "support/http_client.hpp"
#include "support/story.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace slotswap::test {

struct Message {
  std::string role;
  std::string content;
};
using Talk = std::vector<Message>;

struct Reply {
  int status = 0;
  bool complete = false;  // false: the answer was cut, or there was none
  std::string body;
  std::string text;          // what the model said
  std::int64_t reused = -1;  // the server's cache_n; -1: not told
  std::int64_t read = -1;    // its prompt_n
  double computed_ms = 0;    // its prompt_ms and predicted_ms
};

// One message of the user.
Talk user_says(std::string text);

// The prompt that the test models' template makes of it.
std::string as_prompt(Talk const& talk);

// more: JSON members, each followed by a comma. 4 tokens are answered unless it has max_tokens.
std::string chat_body(Talk const& talk, std::string const& more = "");

// Of a whole answer to a chat completion, a stream or not.
Reply to_reply(HttpAnswer const& answer);

// X-Session-ID, none when empty; and, as most stories of the tests are short, that it is to be
// saved from its first request on.
Headers kept(std::string const& session);

// A chat completion on a connection of its own, of a session that is kept. A broken connection is a
// reply that is not complete.
Reply chat(std::uint16_t port, std::string const& session, Talk const& talk,
           std::string const& more = "");

}  // namespace slotswap::test
