#include "real/talk.hpp"

#include <slotswap/json/scan.hpp>

#include <boost/json/value.hpp>

#include <stdexcept>
#include <utility>

namespace slotswap::test {
namespace {

// Long, as a build beside the tests makes the server slow.
constexpr Milliseconds patience{60'000};

std::string text_of(boost::json::object const& answer, char const* part) {
  auto const* choices = answer.if_contains("choices");
  if (choices == nullptr || choices->get_array().empty()) return "";
  auto const& message = choices->get_array().front().at(part).get_object();
  auto const* content = message.if_contains("content");
  if (content == nullptr || !content->is_string()) return "";
  return std::string(content->get_string());
}

void take(std::string_view text, char const* part, Reply& reply) {
  auto const parsed = json::parse(text);
  if (parsed.has_error() || !parsed->is_object()) return;
  auto const& object = parsed->get_object();
  reply.text += text_of(object, part);
  if (auto const* timings = object.if_contains("timings")) {
    reply.reused = timings->at("cache_n").to_number<std::int64_t>();
    reply.read = timings->at("prompt_n").to_number<std::int64_t>();
    reply.computed_ms = timings->at("prompt_ms").to_number<double>() +
                        timings->at("predicted_ms").to_number<double>();
  }
}

void take_events(std::string_view stream, Reply& reply) {
  constexpr std::string_view mark = "data: ";
  for (auto at = stream.find(mark); at != std::string_view::npos; at = stream.find(mark, at)) {
    at += mark.size();
    take(stream.substr(at, stream.find('\n', at) - at), "delta", reply);
  }
}

}  // namespace

Talk user_says(std::string text) {
  return {{"user", std::move(text)}};
}

std::string as_prompt(Talk const& talk) {
  std::string text = "<s>";
  for (auto const& message : talk) text += "[" + message.role + "] " + message.content + "\n";
  return text + "[assistant] ";
}

std::string chat_body(Talk const& talk, std::string const& more) {
  std::string body = R"({"temperature":0,)" + more;
  if (more.find("max_tokens") == std::string::npos) body += R"("max_tokens":4,)";
  body += R"("messages":[)";
  for (auto const& message : talk) {
    if (&message != &talk.front()) body += ',';
    body += R"({"role":)" + json::quote(message.role) + R"(,"content":)" +
            json::quote(message.content) + '}';
  }
  return body + "]}";
}

Reply to_reply(HttpAnswer const& answer) {
  Reply reply;
  reply.status = answer.status;
  reply.complete = answer.complete;
  reply.body = answer.body;
  // A stream begins with comments where the prompt takes its time.
  if (answer.header("content-type").value_or("").starts_with("text/event-stream")) {
    take_events(answer.body, reply);
  } else {
    take(answer.body, "message", reply);
  }
  return reply;
}

Headers kept(std::string const& session) {
  if (session.empty()) return {};
  return {{"X-Session-ID", session}, {"X-Slot-Policy", "keep"}};
}

Reply chat(std::uint16_t port, std::string const& session, Talk const& talk,
           std::string const& more) {
  try {
    RawClient client(port, patience);
    client.send(make_request("POST", "/v1/chat/completions", kept(session), chat_body(talk, more)));
    return to_reply(read_answer(client));
  } catch (std::runtime_error const&) {
    return {};
  }
}

}  // namespace slotswap::test
