// One completion on its way through the simulated server.
#pragma once

#include "llama_sim/server.hpp"

namespace slotswap::llama_sim {

struct Server::Run {
  explicit Run(Request& request_) : request(request_) {}

  Request& request;
  SimSlot* slot = nullptr;
  Shape shape = Shape::chat;
  bool stream = false;
  bool detached = false;  // a stream that goes on without its client
  bool include_usage = false;
  std::int64_t wanted = 16;  // tokens to generate
  Tokens prompt;
  std::int64_t cached = 0;
  std::int64_t generated = 0;
  std::string text;
};

}  // namespace slotswap::llama_sim
