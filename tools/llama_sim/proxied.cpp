#include "llama_sim/proxied.hpp"

#include <utility>

namespace slotswap::llama_sim {

namespace {

constexpr auto broken_text = "proxy error: Failed to read connection";

// The child's own Connection comes through beside the one of the router.
http::ResponseHead through_router(http::ResponseHead const& child) {
  http::ResponseHead head;
  head.status = child.status;
  head.reason = child.reason;
  for (auto const* name : {"Server", "Access-Control-Allow-Origin"}) {
    head.fields.add(name, std::string(child.fields.get(name)));
  }
  head.fields.add("Connection", "close");
  head.fields.add("X-Accel-Buffering", "no");
  head.fields.add("Content-Type", std::string(child.fields.get("Content-Type")));
  if (child.status >= 400) {
    head.fields.add("Connection", "close");
  } else {
    head.fields.add("Keep-Alive", "timeout=5, max=100");
  }
  return head;
}

}  // namespace

net::awaitable<void> answer_broken(net::Incoming& client, std::string text) {
  http::ResponseHead head;
  head.status = 500;
  head.reason = http::reason_phrase(500);
  head.fields.add("Server", "llama.cpp");
  head.fields.add("Access-Control-Allow-Origin", std::string(client.head().fields.get("Origin")));
  head.fields.add("X-Accel-Buffering", "no");
  head.fields.add("Content-Type", "application/json; charset=utf-8");
  head.fields.add("Connection", "close");
  client.begin(std::move(head), std::nullopt);
  client.append({text});
  co_await client.finish();
  client.abort();
}

Proxied::Proxied(net::Loop& loop, net::Incoming& client)
    : client_(&client),
      head_(client.head()),
      peer_(client.peer()),
      changed_(loop),
      drained_(loop) {}

net::awaitable<base::Result<std::shared_ptr<net::Body const>>> Proxied::read_body(
    std::uint64_t, std::shared_ptr<net::Budget>) {
  co_return std::make_shared<net::Body const>();
}

void Proxied::begin(http::ResponseHead head, std::optional<std::uint64_t>) {
  begun_ = true;
  answer_ = through_router(head);
  changed_.notify();
}

void Proxied::append(std::vector<std::string_view> const& pieces) {
  for (auto const piece : pieces) waiting_ += piece;
}

net::awaitable<bool> Proxied::flush() {
  changed_.notify();
  while ((answer_ || !waiting_.empty()) && client_ != nullptr) co_await drained_.wait();
  co_return !gone();
}

net::awaitable<bool> Proxied::finish() {
  finished_ = true;
  co_return co_await flush();
}

net::awaitable<bool> Proxied::respond(http::ResponseHead head, std::string body) {
  begin(std::move(head), std::nullopt);
  waiting_ += body;
  co_return co_await finish();
}

net::awaitable<bool> Proxied::respond(http::Problem problem) {
  co_return co_await respond(http::json_head(problem.status), http::problem_body(problem));
}

void Proxied::abort() {
  if (!finished_) broken_ = true;
  changed_.notify();
}

void Proxied::cut() {
  if (finished_) return;
  broken_ = true;
  client_ = nullptr;
  changed_.notify();
  drained_.notify();
}

void Proxied::returned() {
  returned_ = true;
  changed_.notify();
}

net::awaitable<void> Proxied::pass_on(net::Incoming& client) {
  while (true) {
    if (broken_) break;
    if (answer_) {
      client.begin(std::move(*answer_), std::nullopt);
      answer_.reset();
      passed_head_ = true;
    }
    auto const text = std::exchange(waiting_, {});
    client.append({text});
    if (passed_head_) co_await client.flush();
    drained_.notify();
    if (waiting_.empty() && !broken_ && (finished_ || returned_)) break;
    co_await changed_.wait();
  }
  client_ = nullptr;
  drained_.notify();
  if (broken_ && !passed_head_) co_return co_await answer_broken(client, broken_text);
  if (broken_) client.append({broken_text});
  if (passed_head_) co_await client.finish();
  client.abort();
}

}  // namespace slotswap::llama_sim
