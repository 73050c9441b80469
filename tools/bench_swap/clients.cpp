#include "bench_swap/clients.hpp"

#include "support/http_client.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace slotswap::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr test::Milliseconds patience{120'000};

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

test::HttpAnswer exchange(test::RawClient& client, std::string const& method,
                          std::string const& path, std::string const& body = "") {
  client.send(test::make_request(method, path, {}, body));
  auto answer = test::read_answer(client);
  if (answer.status != 200) throw std::runtime_error(path + ": " + answer.body);
  return answer;
}

Turn streamed(test::RawClient& client, Clock::time_point begin, test::Headers const& headers,
              std::string const& body) {
  client.send(test::make_request("POST", "/v1/chat/completions", headers, body));
  Turn turn;
  auto answer = test::read_head(client);
  // A stream's body begins with its first token.
  auto const first = client.read_until("data: ");
  turn.first_ms = ms_since(begin);
  auto const rest = first + client.read_until("\r\n0\r\n\r\n");
  turn.total_ms = ms_since(begin);
  if (answer.status != 200) throw std::runtime_error("status " + std::to_string(answer.status));
  answer.body = rest.substr(rest.find("data: "));
  auto const reply = test::to_reply(answer);
  turn.computed_ms = reply.computed_ms;
  turn.read = reply.read;
  turn.prompt = reply.read + reply.reused;
  turn.text = reply.text;
  return turn;
}

// A connection with its thread at the server: llama-server ends each behind a streamed answer.
test::RawClient connected(std::uint16_t port) {
  test::RawClient client(port, patience);
  exchange(client, "GET", "/health");
  return client;
}

std::string body_of(test::Talk const& talk, std::string const& more, int tokens = usual_tokens) {
  return test::chat_body(talk,
                         R"("stream":true,"max_tokens":)" + std::to_string(tokens) + "," + more);
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Straight::Straight(std::uint16_t port, std::map<std::string, std::string> more)
    : port_(port), more_(std::move(more)) {}

Turn Straight::ask(std::string const& session, test::Talk const& talk, int tokens) {
  auto client = connected(port_);
  auto const more = more_.find(session);
  auto const body = body_of(talk, more == more_.end() ? "" : more->second, tokens);
  return streamed(client, Clock::now(), test::kept(session), body);
}

Minimal::Minimal(std::uint16_t port, std::filesystem::path folder)
    : port_(port), folder_(std::move(folder)) {}

void Minimal::call(test::RawClient& client, std::string const& action, std::string const& file) {
  exchange(client, "POST", "/slots/0?action=" + action, R"({"filename":")" + file + "\"}");
}

Turn Minimal::ask(std::string const& session, test::Talk const& talk) {
  auto client = connected(port_);
  auto const body = body_of(talk, "");
  std::string old;
  auto const begin = Clock::now();
  if (session != resident_ && !resident_.empty()) {
    exchange(client, "GET", "/slots");
    auto const file = "minimal-" + std::to_string(++generation_) + ".bin";
    call(client, "save", file);
    old = std::exchange(saved_[resident_], file);
    if (auto const own = saved_.find(session); own != saved_.end())
      call(client, "restore", own->second);
  }
  auto turn = streamed(client, begin, {}, body);
  resident_ = session;
  if (!old.empty()) std::filesystem::remove(folder_ / old);
  return turn;
}

}  // namespace slotswap::bench
