#include "llama_sim/server.hpp"

#include <slotswap/base/text.hpp>
#include <slotswap/json/scan.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <random>
#include <utility>

namespace slotswap::llama_sim {

namespace json = boost::json;

namespace {

constexpr int requests_of_a_connection = 100;
constexpr std::size_t most_connections_counted = 4096;

std::string random_marker() {
  static std::random_device device;
  return "<__media_" +
         base::sha256_hex(std::to_string(device()) + std::to_string(device())).substr(0, 16) +
         "__>";
}

}  // namespace

Server::Server(net::Loop& loop, Options options, Book& book, std::map<Fault, int>& faults,
               Hold const& hold, std::function<void()> crash)
    : loop_(loop),
      options_(std::move(options)),
      book_(book),
      faults_(faults),
      hold_(hold),
      crash_(std::move(crash)),
      budget_(std::make_shared<net::Budget>(1ULL << 32U)),
      slots_(loop, options_.slots, scaled(1.0), book),
      marker_(random_marker()),
      last_activity_(loop.now()),
      last_result_(loop.now()) {}

base::Result<void> Server::listen() {
  net::ListenerSettings settings;
  settings.host = options_.host;
  settings.port = options_.port;
  settings.keep_alive = std::chrono::seconds(5);
  auto handler = [this](net::Incoming& incoming) { return handle(incoming); };
  auto listener = net::listen(loop_, settings, handler);
  if (listener.has_error()) return listener.error();
  listener_ = std::move(*listener);
  return {};
}

void Server::end() {
  listener_->stop_accepting();
  listener_->close_all();
}

bool Server::take_fault(Fault fault) {
  auto const place = faults_.find(fault);
  if (place == faults_.end() || place->second == 0) return false;
  --place->second;
  return true;
}

net::awaitable<void> Server::hang(net::Incoming& incoming) {
  while (!incoming.gone()) {
    net::Signal never(loop_);
    co_await never.wait_until(loop_.now() + scaled(0.1));
  }
}

bool Server::is_last(net::Incoming const& incoming) const {
  auto const place = served_.find(incoming.peer());
  return place != served_.end() && place->second >= requests_of_a_connection;
}

http::ResponseHead Server::make_head(net::Incoming& incoming, int status, char const* type) const {
  auto const origin = incoming.head().fields.get("Origin");
  http::ResponseHead head;
  head.status = status;
  head.reason = http::reason_phrase(status);
  head.fields.add("Server", "llama.cpp");
  head.fields.add("Access-Control-Allow-Origin", std::string(origin));
  if (incoming.head().method == "OPTIONS") {
    head.fields.add("Access-Control-Allow-Credentials", "true");
    head.fields.add("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS");
    head.fields.add("Access-Control-Allow-Headers", "*");
  }
  head.fields.add("Content-Type", type);
  if (status == 401 || is_last(incoming)) {
    head.fields.add("Connection", "close");
  } else {
    head.fields.add("Keep-Alive", "timeout=5, max=100");
  }
  return head;
}

net::awaitable<void> Server::answer(net::Incoming& incoming, int status, json::value body) {
  auto head = make_head(incoming, status, "application/json; charset=utf-8");
  co_await incoming.respond(std::move(head), json::serialize(body));
}

net::awaitable<void> Server::refuse(net::Incoming& incoming, int status, std::string message,
                                    std::string type) {
  json::object error;
  error["code"] = status;
  error["message"] = message;
  error["type"] = type;
  json::object body;
  body["error"] = error;
  co_await answer(incoming, status, body);
}

bool Server::let_in(http::RequestHead const& head, std::string const& path) const {
  if (options_.api_key.empty() || path == "/health" || path == "/v1/health" ||
      head.method == "OPTIONS")
    return true;
  auto const bearer = head.fields.get("Authorization");
  return bearer == "Bearer " + options_.api_key || bearer == options_.api_key ||
         head.fields.get("X-Api-Key") == options_.api_key;
}

bool Server::asleep() const {
  if (asleep_) return true;
  auto const limit = options_.sleep_idle_seconds;
  return limit > 0 && work_ == 0 && loop_.now() - last_activity_ >= scaled(limit);
}

void Server::wake() {
  if (asleep()) {
    ++book_.wakes;
    slots_.forget();
  }
  asleep_ = false;
  last_activity_ = loop_.now();
}

bool Server::noticed_gone(net::Incoming const& incoming) const {
  return incoming.gone() && loop_.now() - last_result_ >= scaled(1.0);
}

net::awaitable<void> Server::handle(net::Incoming& incoming) {
  if (served_.size() > most_connections_counted) served_.clear();
  auto const count = ++served_[incoming.peer()];
  if (count > 1 && take_fault(Fault::drop_kept)) co_return incoming.abort();
  Request request{incoming, http::split_target(incoming.head().target), {}, false};
  Call call;
  call.method = incoming.head().method;
  call.target = incoming.head().target;
  call.session = incoming.head().fields.get("X-Session-ID");
  // Before the body is read, as the real one does: a refused upload is cut short.
  if (take_fault(Fault::loading)) {
    book_.calls.push_back(call);
    co_return co_await refuse(incoming, 503, "Loading model", "unavailable_error");
  }
  if (!let_in(incoming.head(), request.target.path)) {
    book_.calls.push_back(call);
    co_await refuse(incoming, 401, "Invalid API Key", "authentication_error");
    // With a body on its way the connection lingers by itself: closed now, the answer would be
    // lost.
    if (call.method != "POST") incoming.abort();
    co_return;
  }
  auto const body = co_await incoming.read_body(1ULL << 30U, budget_);
  if (body.has_error()) co_return;
  auto parsed = slotswap::json::parse((*body)->bytes());
  if (parsed.has_value() && parsed->is_object()) {
    request.body = std::move(parsed->get_object());
    request.readable = true;
  }
  if (auto const* file = request.body.if_contains("filename");
      file != nullptr && file->is_string()) {
    call.file = file->get_string();
  }
  book_.calls.push_back(call);
  // Asleep is remembered: what is asked next may move the time of the last activity.
  asleep_ = asleep();
  co_await dispatch(request);
  if (is_last(incoming)) incoming.abort();
}

// Whatever the model might be needed for wakes it, even what is refused then.
net::awaitable<void> Server::dispatch(Request& request) {
  auto& incoming = request.incoming;
  auto const& path = request.target.path;
  auto const& method = incoming.head().method;
  auto const get = method == "GET" || method == "HEAD";
  auto const post = method == "POST";
  if (method == "OPTIONS") {
    auto head = make_head(incoming, 200, "text/html");
    co_await incoming.respond(std::move(head), "");
  } else if (get && (path == "/health" || path == "/v1/health")) {
    json::object fine;
    fine["status"] = "ok";
    co_await answer(incoming, 200, fine);
  } else if (get && path == "/props") {
    co_await props(request);
  } else if (get && (path == "/v1/models" || path == "/models")) {
    co_await models(request);
  } else if (get && path == "/slots") {
    wake();
    co_await look(request);
  } else if (get && path == "/lora-adapters") {
    wake();
    co_await lora(request);
  } else if (post && path.rfind("/slots/", 0) == 0) {
    wake();
    co_await slot_call(request);
  } else if (post && (path == "/tokenize" || path == "/apply-template" ||
                      path == "/v1/messages/count_tokens" || path == "/v1/embeddings" ||
                      path == "/embeddings" || path == "/embedding")) {
    wake();
    co_await text_call(request);
  } else if (post && (path == "/completion" || path == "/completions" ||
                      path == "/v1/completions" || path == "/v1/chat/completions" ||
                      path == "/chat/completions" || path == "/v1/messages")) {
    wake();
    co_await complete(request);
  } else {
    co_await refuse(incoming, 404, "File Not Found", "not_found_error");
  }
}

}  // namespace slotswap::llama_sim
