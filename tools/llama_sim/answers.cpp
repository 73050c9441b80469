// What a completion's answer looks like in each dialect, whole or as a stream.
#include "llama_sim/run.hpp"

#include <boost/json/serialize.hpp>

#include <utility>

namespace slotswap::llama_sim {

namespace json = boost::json;

namespace {

json::object timings(std::int64_t cached, std::int64_t prompt, std::int64_t generated) {
  json::object body;
  body["cache_n"] = cached;
  body["prompt_n"] = prompt;
  body["prompt_ms"] = 1.0;
  body["predicted_n"] = generated;
  body["predicted_ms"] = 1.0;
  return body;
}

json::object usage(std::int64_t cached, std::int64_t prompt, std::int64_t generated) {
  json::object details;
  details["cached_tokens"] = cached;
  json::object body;
  body["completion_tokens"] = generated;
  body["prompt_tokens"] = cached + prompt;
  body["total_tokens"] = cached + prompt + generated;
  body["prompt_tokens_details"] = details;
  return body;
}

std::string event(json::value const& body) {
  return "data: " + json::serialize(body) + "\n\n";
}

std::string named_event(char const* name, json::value const& body) {
  return std::string("event: ") + name + "\n" + event(body);
}

json::object text_object(char const* name, std::string const& text) {
  json::object body;
  body[name] = text;
  return body;
}

json::object typed(char const* type) {
  return text_object("type", type);
}

// What the chunks and whole answers of OpenAI's shapes have in common.
json::object choice(std::string const& model, char const* object, char const* part,
                    json::value content, json::value finish) {
  json::object one;
  one["finish_reason"] = std::move(finish);
  one["index"] = 0;
  one[part] = std::move(content);
  json::object body;
  body["choices"] = json::array({one});
  body["created"] = 0;
  body["id"] = "chatcmpl-sim";
  body["model"] = model;
  body["object"] = object;
  body["system_fingerprint"] = "b11669-sim";
  return body;
}

constexpr auto chat_chunk = "chat.completion.chunk";

}  // namespace

net::awaitable<bool> Server::begin_stream(Run& run) {
  auto& incoming = run.request.incoming;
  auto head = make_head(incoming, 200, "text/event-stream");
  head.fields.add("X-Accel-Buffering", "no");
  if (take_fault(Fault::double_framing)) head.fields.add("Content-Length", "10");
  incoming.begin(std::move(head), std::nullopt);
  co_return co_await incoming.flush();
}

std::string Server::first_events(Run const& run) const {
  if (run.shape == Shape::chat) {
    json::object delta;
    delta["role"] = "assistant";
    delta["content"] = nullptr;
    return event(choice(options_.model, chat_chunk, "delta", delta, nullptr));
  }
  if (run.shape != Shape::messages) return {};
  json::object used;
  used["cache_read_input_tokens"] = run.cached;
  used["input_tokens"] = static_cast<std::int64_t>(run.prompt.size()) - run.cached;
  used["output_tokens"] = 0;
  auto message = typed("message");
  message["role"] = "assistant";
  message["content"] = json::array();
  message["model"] = options_.model;
  message["usage"] = used;
  auto start = typed("message_start");
  start["message"] = message;
  auto block = typed("text");
  block["text"] = "";
  auto block_start = typed("content_block_start");
  block_start["index"] = 0;
  block_start["content_block"] = block;
  return named_event("message_start", start) + named_event("content_block_start", block_start);
}

std::string Server::word_event(Run const& run, std::string const& word) const {
  switch (run.shape) {
    case Shape::chat:
      return event(
          choice(options_.model, chat_chunk, "delta", text_object("content", word), nullptr));
    case Shape::text:
      return event(choice(options_.model, "text_completion", "text", word.c_str(), nullptr));
    case Shape::completion: {
      auto body = text_object("content", word);
      body["stop"] = false;
      body["id_slot"] = -1;
      return event(body);
    }
    case Shape::messages:
      break;
  }
  auto delta = typed("text_delta");
  delta["text"] = word;
  auto body = typed("content_block_delta");
  body["index"] = 0;
  body["delta"] = delta;
  return named_event("content_block_delta", body);
}

net::awaitable<bool> Server::send_word(Run& run, std::string const& word) {
  auto text = run.generated == 1 ? first_events(run) : std::string();
  text += word_event(run, word);
  run.request.incoming.append({text});
  co_return co_await run.request.incoming.flush();
}

json::object Server::whole(Run const& run) const {
  auto const read = static_cast<std::int64_t>(run.prompt.size()) - run.cached;
  json::object body;
  if (run.shape == Shape::messages) {
    auto part = typed("text");
    part["text"] = run.text;
    json::object used;
    used["cache_read_input_tokens"] = run.cached;
    used["input_tokens"] = read;
    used["output_tokens"] = run.generated;
    body = typed("message");
    body["role"] = "assistant";
    body["content"] = json::array({part});
    body["model"] = options_.model;
    body["stop_reason"] = "max_tokens";
    body["usage"] = used;
    return body;
  }
  if (run.shape == Shape::completion) {
    body = text_object("content", run.stream ? "" : run.text);
    body["stop"] = true;
    body["id_slot"] = run.slot->id;
    body["stop_type"] = "limit";
    body["tokens_predicted"] = run.generated;
    body["tokens_evaluated"] = run.prompt.size();
  } else if (run.shape == Shape::text) {
    auto const* text = run.stream ? "" : run.text.c_str();
    body = choice(options_.model, "text_completion", "text", text, "length");
    body["usage"] = usage(run.cached, read, run.generated);
  } else {
    auto message = text_object("content", run.text);
    message["role"] = "assistant";
    body = choice(options_.model, "chat.completion", "message", message, "length");
    body["usage"] = usage(run.cached, read, run.generated);
  }
  body["timings"] = timings(run.cached, read, run.generated);
  return body;
}

std::string Server::last_events(Run const& run) const {
  if (run.shape == Shape::completion) return event(whole(run));
  if (run.shape == Shape::text) return event(whole(run)) + "data: [DONE]\n\n";
  if (run.shape == Shape::messages) {
    auto block_stop = typed("content_block_stop");
    block_stop["index"] = 0;
    json::object used;
    used["output_tokens"] = run.generated;
    auto delta = typed("message_delta");
    delta["delta"] = text_object("stop_reason", "max_tokens");
    delta["usage"] = used;
    return named_event("content_block_stop", block_stop) + named_event("message_delta", delta) +
           named_event("message_stop", typed("message_stop"));
  }
  auto const read = static_cast<std::int64_t>(run.prompt.size()) - run.cached;
  auto finish = choice(options_.model, chat_chunk, "delta", json::object(), "length");
  auto extra = choice(options_.model, chat_chunk, "delta", json::object(), nullptr);
  auto& counted = run.include_usage ? extra : finish;
  counted["timings"] = timings(run.cached, read, run.generated);
  if (run.include_usage) {
    extra["choices"] = json::array();
    extra["usage"] = usage(run.cached, read, run.generated);
  }
  return event(finish) + (run.include_usage ? event(extra) : "") + "data: [DONE]\n\n";
}

net::awaitable<void> Server::send_end(Run& run) {
  auto& incoming = run.request.incoming;
  last_result_ = loop_.now();
  if (!run.stream) {
    co_await answer(incoming, 200, whole(run));
    co_return;
  }
  auto const text = last_events(run);
  incoming.append({text});
  co_await incoming.finish();
  // As the real one does, whatever its Keep-Alive says.
  incoming.abort();
}

}  // namespace slotswap::llama_sim
