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

json::object choice(char const* part, json::value content, json::value finish) {
  json::object one;
  one["finish_reason"] = std::move(finish);
  one["index"] = 0;
  one[part] = std::move(content);
  json::object body;
  body["choices"] = json::array({one});
  body["created"] = 0;
  body["id"] = "chatcmpl-sim";
  body["model"] = "sim";
  body["system_fingerprint"] = "b11669-sim";
  return body;
}

json::object text_object(char const* name, std::string const& text) {
  json::object body;
  body[name] = text;
  return body;
}

}  // namespace

net::awaitable<bool> Server::begin_stream(Run& run) {
  http::ResponseHead head;
  head.status = 200;
  head.reason = "OK";
  head.fields.add("Content-Type", "text/event-stream");
  head.fields.add("X-Accel-Buffering", "no");
  head.fields.add("Keep-Alive", "timeout=5, max=100");
  run.request.incoming.begin(std::move(head), std::nullopt);
  if (run.shape == Run::Shape::messages) {
    json::object used;
    used["input_tokens"] = static_cast<std::int64_t>(run.prompt.size()) - run.cached;
    used["cache_read_input_tokens"] = run.cached;
    json::object message;
    message["usage"] = used;
    json::object body;
    body["type"] = "message_start";
    body["message"] = message;
    auto const text = named_event("message_start", body);
    run.request.incoming.append({text});
  }
  co_return co_await run.request.incoming.flush();
}

net::awaitable<bool> Server::send_word(Run& run, std::string const& word) {
  std::string text;
  switch (run.shape) {
    case Run::Shape::chat:
      text = event(choice("delta", text_object("content", word), nullptr));
      break;
    case Run::Shape::text:
      text = event(choice("text", word.c_str(), nullptr));
      break;
    case Run::Shape::completion: {
      auto body = text_object("content", word);
      body["stop"] = false;
      body["id_slot"] = -1;
      text = event(body);
      break;
    }
    case Run::Shape::messages: {
      json::object body;
      body["type"] = "content_block_delta";
      body["delta"] = text_object("text", word);
      text = named_event("content_block_delta", body);
      break;
    }
  }
  run.request.incoming.append({text});
  co_return co_await run.request.incoming.flush();
}

net::awaitable<void> Server::send_end(Run& run) {
  auto const read = static_cast<std::int64_t>(run.prompt.size()) - run.cached;
  auto const measured = timings(run.cached, read, run.generated);
  auto const used = usage(run.cached, read, run.generated);
  json::object last;
  switch (run.shape) {
    case Run::Shape::chat: {
      json::object message = text_object("content", run.text);
      message["role"] = "assistant";
      last = run.stream ? choice("delta", json::object(), "length")
                        : choice("message", message, "length");
      last["timings"] = measured;
      if (!run.stream) last["usage"] = used;
      break;
    }
    case Run::Shape::text:
      last = choice("text", run.stream ? "" : run.text.c_str(), "length");
      last["timings"] = measured;
      last["usage"] = used;
      break;
    case Run::Shape::completion:
      last = text_object("content", run.stream ? "" : run.text);
      last["stop"] = true;
      last["id_slot"] = run.slot->id;
      last["tokens_cached"] = run.slot->tokens.size();
      last["tokens_evaluated"] = run.prompt.size();
      last["timings"] = measured;
      break;
    case Run::Shape::messages: {
      json::object tokens;
      tokens["input_tokens"] = read;
      tokens["cache_read_input_tokens"] = run.cached;
      tokens["output_tokens"] = run.generated;
      last["type"] = run.stream ? "message_stop" : "message";
      if (!run.stream) last["usage"] = tokens;
      break;
    }
  }
  auto& incoming = run.request.incoming;
  if (!run.stream) co_return co_await answer(incoming, 200, last);
  std::string text;
  if (run.shape == Run::Shape::messages) {
    text = named_event("message_stop", last);
  } else {
    text = event(last);
  }
  if (run.shape == Run::Shape::chat && run.include_usage) {
    json::object extra = choice("delta", json::object(), nullptr);
    extra["choices"] = json::array();
    extra["usage"] = used;
    extra["timings"] = measured;
    text += event(extra);
  }
  if (run.shape == Run::Shape::chat || run.shape == Run::Shape::text) text += "data: [DONE]\n\n";
  incoming.append({text});
  last_result_ = loop_.now();
  co_await incoming.finish();
}

}  // namespace slotswap::llama_sim
