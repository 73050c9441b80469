// Completions: the prompt is read in batches behind the common prefix, then words come one after
// the other.
#include "llama_sim/run.hpp"

#include <algorithm>

namespace slotswap::llama_sim {

namespace json = boost::json;

namespace {

constexpr std::int64_t batch = 512;

std::int64_t number(json::object const& body, char const* name, std::int64_t fallback) {
  auto const* value = body.if_contains(name);
  return value != nullptr && value->is_int64() ? value->get_int64() : fallback;
}

bool flag(json::object const& body, char const* name, bool fallback) {
  auto const* value = body.if_contains(name);
  return value != nullptr && value->is_bool() ? value->get_bool() : fallback;
}

// Why a request is answered 400 before it is a task; null when it is none.
char const* refusal(bool readable, json::object const& body, Server::Shape shape, int slots) {
  if (!readable) return "[json.exception.parse_error.101] parse error";
  auto const talk = shape == Server::Shape::chat || shape == Server::Shape::messages;
  if (talk && !body.contains("messages")) return "'messages' is required";
  if (!talk && !body.contains("prompt")) return "\"prompt\" must be provided";
  return number(body, "n", 1) > slots ? "Field 'n': Value is out of range" : nullptr;
}

}  // namespace

// A stream that has begun fails at its next word; else it takes a second without any result.
bool Server::noticed_gone(Run const& run) const {
  auto const& incoming = run.request.incoming;
  if (run.detached) return false;
  if (run.stream && run.generated > 0) return incoming.gone();
  return noticed_gone(incoming);
}

// False: the client left, and it was noticed.
net::awaitable<bool> Server::pause(Run& run, double seconds, Hold held_by) {
  auto const until = loop_.now() + scaled(seconds);
  net::Signal never(loop_);
  auto const held = [this, held_by] {
    return frozen_ || (held_by != Hold::nowhere && hold_ == held_by);
  };
  while (loop_.now() < until || held()) {
    auto const soon = loop_.now() + scaled(0.1);
    auto const next = held() ? soon : std::min(until, soon);
    co_await never.wait_until(next);
    if (noticed_gone(run)) co_return false;
  }
  co_return !noticed_gone(run);
}

net::awaitable<void> Server::complete(Request& request) {
  if (take_fault(Fault::drop_request)) co_return request.incoming.abort();
  if (take_fault(Fault::swallow)) co_return co_await hang(request.incoming);
  Run run(request);
  auto const& path = request.target.path;
  if (path == "/v1/messages") run.shape = Shape::messages;
  if (path == "/completion" || path == "/completions") run.shape = Shape::completion;
  if (path == "/v1/completions") run.shape = Shape::text;
  run.stream = flag(request.body, "stream", false);
  run.detached = run.stream && request.incoming.head().fields.has("X-Conversation-Id");
  if (auto const* options = request.body.if_contains("stream_options");
      options != nullptr && options->is_object()) {
    run.include_usage = flag(options->get_object(), "include_usage", false);
  }
  run.wanted = number(request.body, "max_tokens", number(request.body, "n_predict", 16));
  auto const* why_not = refusal(request.readable, request.body, run.shape, options_.slots);
  if (why_not != nullptr) {
    co_return co_await refuse(request.incoming, 400, why_not, "invalid_request_error");
  }
  run.prompt = tokenize(render(request.body));
  ++work_;
  // The real one does not pass it on from there.
  auto const heeds = run.shape != Shape::messages;
  run.slot = &slots_.choose(heeds ? number(request.body, "id_slot", -1) : -1, run.prompt);
  std::function<bool()> gone = [this, &request] { return noticed_gone(request.incoming); };
  auto const taken = co_await slots_.take(*run.slot, gone);
  if (taken) {
    last_result_ = loop_.now();
    ++book_.completions_started;
    run.slot->task = slots_.next_task();
    auto complete = co_await read_prompt(run);
    if (complete) complete = co_await generate(run);
    last_activity_ = loop_.now();
    // As the real one does: the slot is free before the client has the end of its answer.
    slots_.release(*run.slot, true);
    if (complete) co_await send_end(run);
  }
  --work_;
}

net::awaitable<bool> Server::read_prompt(Run& run) {
  auto const context = options_.context / options_.slots;
  auto const size = static_cast<std::int64_t>(run.prompt.size());
  if (size >= context) {
    json::object error;
    error["code"] = 400;
    error["message"] = "request (" + std::to_string(size) +
                       " tokens) exceeds the available context size (" + std::to_string(context) +
                       " tokens), try increasing it";
    error["type"] = "exceed_context_size_error";
    error["n_prompt_tokens"] = size;
    error["n_ctx"] = context;
    json::object body;
    body["error"] = error;
    co_await answer(run.request.incoming, 400, body);
    co_return false;
  }
  auto& held = run.slot->tokens;
  auto const same =
      flag(run.request.body, "cache_prompt", true) ? common_prefix(held, run.prompt) : 0;
  // The last token is always read, or there would be nothing to go on from.
  run.cached = std::min(static_cast<std::int64_t>(same), size - 1);
  held.resize(static_cast<std::size_t>(run.cached));
  run.slot->cached = run.cached;
  if (run.stream) {
    auto const begun = co_await begin_stream(run);
    if (!begun) co_return false;
  }
  while (static_cast<std::int64_t>(held.size()) < size) {
    auto const done = static_cast<std::int64_t>(held.size());
    auto const part = std::min(batch, size - done);
    auto const seconds =
        options_.prefill_tps > 0 ? static_cast<double>(part) / options_.prefill_tps : 0.0;
    auto const here = co_await pause(run, seconds, Hold::prefill);
    held.insert(held.end(), run.prompt.begin() + done, run.prompt.begin() + done + part);
    run.slot->processed += part;
    if (here) continue;
    ++book_.completions_cancelled;
    co_return false;
  }
  if (take_fault(Fault::inference_error)) {
    co_await refuse(run.request.incoming, 500, "it went wrong", "server_error");
    co_return false;
  }
  co_return true;
}

net::awaitable<bool> Server::generate(Run& run) {
  auto const seed = seed_of(run.prompt);
  auto& held = run.slot->tokens;
  while (run.generated < run.wanted) {
    auto const seconds = options_.decode_tps > 0 ? 1.0 / options_.decode_tps : 0.0;
    auto const held_by = run.generated > 0 ? Hold::answer : Hold::nowhere;
    auto here = co_await pause(run, seconds, held_by);
    auto const word = generated_word(seed, run.generated);
    // The last word that was sampled is not in the memory of the slot yet.
    if (run.generated > 0) {
      auto const before = tokenize(generated_word(seed, run.generated - 1));
      held.push_back(before.front());
    }
    ++run.generated;
    run.text += word;
    if (here && run.stream) {
      auto const sent = co_await send_word(run, word);
      here = sent || run.detached;
      last_result_ = loop_.now();
    }
    if (here && run.generated == 2 && take_fault(Fault::drop_answer)) {
      run.request.incoming.abort();
      co_return false;
    }
    if (here && run.generated == 2 && run.stream && take_fault(Fault::half_event)) {
      run.request.incoming.append({"data: {\"choices\":[{\"ind"});
      co_await run.request.incoming.flush();
      run.request.incoming.abort();
      co_return false;
    }
    if (here) continue;
    ++book_.completions_cancelled;
    co_return false;
  }
  ++book_.completions_finished;
  co_return true;
}

}  // namespace slotswap::llama_sim
