#include "client.hpp"

#include <stdexcept>

namespace slotswap::bench {
namespace {

// A prefill without any reuse, on a busy machine.
constexpr test::Milliseconds patience{120'000};

std::string without_chunks(std::string_view body) {
  std::string text;
  while (!body.empty()) {
    std::size_t digits = 0;
    auto const size = std::stoul(std::string(body.substr(0, 16)), &digits, 16);
    if (size == 0) break;
    auto const start = body.find("\r\n", digits) + 2;
    text += body.substr(start, size);
    body.remove_prefix(start + size + 2);
  }
  return text;
}

double number_after(std::string const& text, std::string const& key) {
  auto const place = text.rfind(key);
  if (place == std::string::npos) throw std::runtime_error("no " + key + " in " + text);
  return std::stod(text.substr(place + key.size()));
}

}  // namespace

double milliseconds_since(Instant start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

void KeptClient::make_ready() {
  if (connection_ && connection_->closed_within(test::Milliseconds{0})) connection_.reset();
  if (!connection_) connection_.emplace(port_, patience);
}

std::string KeptClient::ask(std::string const& method, std::string const& path,
                            std::string const& body) {
  connection_->send(test::make_request(method, path, {}, body));
  auto const answer = test::read_answer(*connection_);
  if (answer.status != 200 || !answer.complete) throw std::runtime_error(answer.body);
  return answer.body;
}

Answer KeptClient::stream(test::Headers const& headers, std::string const& body) {
  connection_->send(test::make_request("POST", "/v1/chat/completions", headers, body));
  auto http = test::read_head(*connection_);
  if (http.status != 200) throw std::runtime_error(http.head);
  Answer answer;
  auto body_text = connection_->read_until("data: ");
  answer.first_event = std::chrono::steady_clock::now();
  body_text += connection_->read_until("\r\n0\r\n\r\n");
  http.body = without_chunks(body_text);
  http.complete = true;
  answer.reply = test::to_reply(http);
  answer.prefill_ms = number_after(http.body, "\"prompt_ms\":");
  return answer;
}

}  // namespace slotswap::bench
