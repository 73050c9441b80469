// Three ways to send the same turns to a real llama-server: straight, through slotswap, and as a
// minimal client that does the slot calls itself. Times in milliseconds, from the first byte sent;
// connecting is not timed. Throws std::runtime_error when an answer is not a 200.
#pragma once

#include "real/talk.hpp"
#include "support/raw_client.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace slotswap::bench {

struct Turn {
  double first_ms = 0;  // until the first token
  double total_ms = 0;
  double computed_ms = 0;  // of it, by the server's own account
  std::int64_t read = 0;
  std::int64_t prompt = 0;  // of it, and of what was reused
  std::string text;
};

constexpr int usual_tokens = 8;  // of an answer

double median(std::vector<double> values);

using Ask = std::function<Turn(std::string const& session, test::Talk const& talk)>;

// more: members of each session's requests, with their commas: the slot of a server with several,
// the model of a router.
class Straight {
 public:
  explicit Straight(std::uint16_t port, std::map<std::string, std::string> more = {});
  Turn ask(std::string const& session, test::Talk const& talk, int tokens = usual_tokens);

 private:
  std::uint16_t port_;
  std::map<std::string, std::string> more_;
};

// What slotswap sends for a session in another's place, and nothing else: GET /slots, save,
// restore, the request. It believes every answer.
class Minimal {
 public:
  Minimal(std::uint16_t port, std::filesystem::path folder);
  Turn ask(std::string const& session, test::Talk const& talk);

 private:
  void call(test::RawClient& client, std::string const& action, std::string const& file);

  std::uint16_t port_;
  std::filesystem::path folder_;
  std::string resident_;
  std::map<std::string, std::string> saved_;  // by session: the file
  int generation_ = 0;
};

}  // namespace slotswap::bench
