#include "llama_sim/front.hpp"

#include <slotswap/json/scan.hpp>

#include <boost/json/serialize.hpp>

#include <utility>

namespace slotswap::llama_sim {

namespace json = boost::json;

namespace {

constexpr int requests_of_a_connection = 100;
constexpr std::size_t most_connections_counted = 4096;

}  // namespace

bool World::take_fault(Fault fault) {
  auto const place = faults.find(fault);
  if (place == faults.end() || place->second == 0) return false;
  --place->second;
  return true;
}

Request::Request(net::Incoming& incoming_)
    : incoming(incoming_), target(http::split_target(incoming_.head().target)) {}

Request::Request(net::Incoming& incoming_, Request const& other)
    : incoming(incoming_), target(other.target), body(other.body), readable(other.readable) {}

std::string Request::text(char const* member) const {
  auto const* value = body.if_contains(member);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

bool is_get(http::RequestHead const& head) {
  return head.method == "GET" || head.method == "HEAD";
}

Front::Front(World world, Options options)
    : world_(world),
      options_(std::move(options)),
      loop_(world.loop),
      book_(world.book),
      hold_(world.hold),
      budget_(std::make_shared<net::Budget>(1ULL << 32U)) {}

base::Result<void> Front::listen() {
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

void Front::end() {
  if (!listener_) return;
  listener_->stop_accepting();
  listener_->close_all();
}

net::awaitable<void> Front::hang(net::Incoming& incoming) {
  while (!incoming.gone()) {
    net::Signal never(loop_);
    co_await never.wait_until(loop_.now() + scaled(0.1));
  }
}

bool Front::is_last(net::Incoming const& incoming) const {
  auto const place = served_.find(incoming.peer());
  return place != served_.end() && place->second >= requests_of_a_connection;
}

http::ResponseHead Front::make_head(net::Incoming& incoming, int status, char const* type) const {
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
  if (closes_after(status) || is_last(incoming)) {
    head.fields.add("Connection", "close");
  } else {
    head.fields.add("Keep-Alive", "timeout=5, max=100");
  }
  return head;
}

net::awaitable<void> Front::answer(net::Incoming& incoming, int status, json::value body) {
  auto head = make_head(incoming, status, "application/json; charset=utf-8");
  co_await incoming.respond(std::move(head), json::serialize(body));
  // After 401 there may be a body to come: see handle().
  if (status != 401 && closes_after(status)) incoming.abort();
}

net::awaitable<void> Front::refuse(net::Incoming& incoming, int status, std::string message,
                                   std::string type) {
  json::object error;
  error["code"] = status;
  error["message"] = message;
  error["type"] = type;
  json::object body;
  body["error"] = error;
  co_await answer(incoming, status, body);
}

net::awaitable<void> Front::answer_options(net::Incoming& incoming) {
  auto head = make_head(incoming, 200, "text/html");
  co_await incoming.respond(std::move(head), "");
}

net::awaitable<void> Front::answer_health(net::Incoming& incoming) {
  json::object fine;
  fine["status"] = "ok";
  co_await answer(incoming, 200, fine);
}

bool Front::let_in(http::RequestHead const& head, std::string const& path) const {
  if (options_.api_key.empty() || path == "/health" || path == "/v1/health" ||
      head.method == "OPTIONS")
    return true;
  auto const bearer = head.fields.get("Authorization");
  return bearer == "Bearer " + options_.api_key || bearer == options_.api_key ||
         head.fields.get("X-Api-Key") == options_.api_key;
}

net::awaitable<void> Front::handle(net::Incoming& incoming) {
  if (served_.size() > most_connections_counted) served_.clear();
  auto const count = ++served_[incoming.peer()];
  if (count > 1 && take_fault(Fault::drop_kept)) co_return incoming.abort();
  Request request(incoming);
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
  call.file = request.text("filename");
  call.model = model_of(request);
  book_.calls.push_back(call);
  co_await dispatch(request);
  if (is_last(incoming)) incoming.abort();
}

}  // namespace slotswap::llama_sim
