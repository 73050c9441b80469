#include <slotswap/http/path.hpp>
#include <slotswap/http/sse.hpp>
#include <slotswap/json/scan.hpp>
#include <slotswap/llama/server.hpp>

#include <utility>

namespace slotswap::llama {

namespace {

// Facts are answered at once even in the middle of a prefill; a server that takes longer is not
// there for us.
constexpr auto facts_timeout = std::chrono::seconds(15);
// A router answers at once and loads or unloads beside it.
constexpr auto order_timeout = std::chrono::seconds(30);

http::RequestHead request(std::string method, std::string target, std::string const& api_key) {
  http::RequestHead head;
  head.method = std::move(method);
  head.target = std::move(target);
  if (head.method == "POST") head.fields.add("Content-Type", "application/json");
  if (!api_key.empty()) head.fields.add("Authorization", "Bearer " + api_key);
  return head;
}

base::Fault refusal(int status, std::string const& body) {
  auto const words = std::to_string(status) + ": " + error_message(body);
  if (status == 401 || status == 403) return base::Fault(base::Side::server, "refused_key", words);
  // A router whose model's process died over the call.
  if (status == 500 && body.starts_with("proxy error:"))
    return base::Fault(base::Side::server, "upstream_broken", words);
  if (status == 503) return base::Fault(base::Side::server, "loading", words);
  return base::Fault(base::Side::server, "refused", words);
}

// A router takes the model of a POST from its body only.
std::string act_body(std::string const& model, std::string const& file) {
  std::string members;
  if (!model.empty()) members = "\"model\":" + json::quote(model);
  if (!file.empty()) {
    if (!members.empty()) members += ',';
    members += "\"filename\":" + json::quote(file);
  }
  return "{" + members + "}";
}

}  // namespace

Server::Server(net::Upstream& upstream, std::string prefix, std::string api_key)
    : upstream_(upstream), prefix_(std::move(prefix)), api_key_(std::move(api_key)) {}

Server Server::for_model(std::string id) const {
  Server other(upstream_, prefix_, api_key_);
  other.model_ = std::move(id);
  return other;
}

// Where the model is not loaded the router refuses, instead of loading it and ending another.
std::string Server::scoped(std::string path) const {
  if (model_.empty()) return path;
  path += path.find('?') == std::string::npos ? '?' : '&';
  return path + "model=" + http::encode_component(model_) + "&autoload=false";
}

net::awaitable<base::Result<std::string>> Server::ask(std::string method, std::string path,
                                                      std::string body, base::Duration timeout,
                                                      net::Use use) {
  auto head = request(std::move(method), prefix_ + path, api_key_);
  auto answer = co_await upstream_.call(std::move(head), std::move(body), timeout, use);
  if (answer.has_error()) co_return answer.error();
  if (answer->head.status < 200 || answer->head.status > 299)
    co_return refusal(answer->head.status, answer->body);
  co_return std::move(answer->body);
}

net::awaitable<base::Result<Props>> Server::props() {
  auto const body = co_await ask("GET", scoped("/props"), "", facts_timeout);
  if (body.has_error()) co_return body.error();
  co_return read_props(*body);
}

net::awaitable<base::Result<void>> Server::health(
    std::shared_ptr<net::UpstreamConnection> connection) {
  auto head = request("GET", prefix_ + "/health", api_key_);
  head.fields.set("Host", upstream_.authority());
  auto const reached = co_await connection->connect();
  if (reached.has_error()) co_return reached.error();
  connection->send(http::serialize(head), nullptr);
  auto const headed = co_await connection->read_head(false, facts_timeout);
  auto const status = headed.has_error() ? 0 : connection->response().status;
  connection->close();
  if (headed.has_error()) co_return headed.error();
  if (status < 200 || status > 299) co_return refusal(status, "");
  co_return base::Result<void>();
}

net::awaitable<base::Result<std::vector<SlotLook>>> Server::slots(base::Duration timeout) {
  auto const body = co_await ask("GET", scoped("/slots"), "", timeout);
  if (body.has_error()) co_return body.error();
  co_return read_slots(*body);
}

net::awaitable<base::Result<Model>> Server::model() {
  auto const body = co_await ask("GET", "/v1/models", "", facts_timeout);
  if (body.has_error()) co_return body.error();
  if (!model_.empty()) co_return read_model(*body, model_);
  co_return read_first_model(*body);
}

net::awaitable<base::Result<std::string>> Server::adapters() {
  auto const body = co_await ask("GET", scoped("/lora-adapters"), "", facts_timeout);
  if (body.has_value()) co_return read_adapters(*body);
  // Older builds, and what is no llama-server.
  if (body.error().code == "refused") co_return std::string();
  co_return body.error();
}

net::awaitable<Probe> Server::probe() {
  auto head = request("POST", prefix_ + scoped("/slots/0?action=probe"), api_key_);
  auto body = act_body(model_, "");
  auto const answer = co_await upstream_.call(std::move(head), std::move(body), facts_timeout);
  if (answer.has_error()) co_return Probe::unknown;
  co_return read_probe(answer->head.status, answer->body);
}

net::awaitable<base::Result<std::string>> Server::act(int slot, std::string action,
                                                      std::string file, base::Duration timeout,
                                                      net::Use use) {
  auto path = scoped("/slots/" + std::to_string(slot) + "?action=" + action);
  auto body = act_body(model_, file);
  co_return co_await ask("POST", std::move(path), std::move(body), timeout, use);
}

net::awaitable<base::Result<Saved>> Server::save(int slot, std::string const& file,
                                                 base::Duration timeout) {
  auto const body = co_await act(slot, "save", file, timeout);
  if (body.has_error()) co_return body.error();
  co_return read_saved(*body);
}

net::awaitable<base::Result<Restored>> Server::restore(int slot, std::string const& file,
                                                       base::Duration timeout, bool fresh) {
  auto const use = fresh ? net::Use::fresh : net::Use::once;
  auto const body = co_await act(slot, "restore", file, timeout, use);
  if (body.has_error()) co_return body.error();
  co_return read_restored(*body);
}

net::awaitable<base::Result<std::int64_t>> Server::erase(int slot, base::Duration timeout) {
  auto const body = co_await act(slot, "erase", "", timeout);
  if (body.has_error()) co_return body.error();
  co_return read_erased(*body);
}

net::awaitable<base::Result<std::vector<RouterModel>>> Server::models() {
  auto const body = co_await ask("GET", "/models", "", facts_timeout);
  if (body.has_error()) co_return body.error();
  co_return read_router_models(*body);
}

net::awaitable<base::Result<void>> Server::tell(std::string path, std::string id) {
  auto body = act_body(id, "");
  auto const answer = co_await ask("POST", std::move(path), std::move(body), order_timeout);
  if (answer.has_error()) co_return answer.error();
  co_return base::Result<void>();
}

net::awaitable<base::Result<void>> Server::load(std::string id) {
  co_return co_await tell("/models/load", std::move(id));
}

net::awaitable<base::Result<void>> Server::unload(std::string id) {
  co_return co_await tell("/models/unload", std::move(id));
}

net::awaitable<base::Fault> Server::follow_events(
    std::shared_ptr<net::UpstreamConnection> connection, std::function<void()> connected,
    OnEvent event) {
  auto head = request("GET", prefix_ + "/models/sse", api_key_);
  head.fields.set("Host", upstream_.authority());
  auto const reached = co_await connection->connect();
  if (reached.has_error()) co_return reached.error();
  connection->send(http::serialize(head), nullptr);
  auto const headed = co_await connection->read_head(false, facts_timeout);
  if (headed.has_error()) co_return headed.error();
  auto const& response = connection->response();
  auto const type = response.fields.get("Content-Type");
  if (response.status != 200 || type.find("text/event-stream") == std::string_view::npos) {
    auto const status = response.status;
    connection->close();
    co_return refusal(status, "no event stream");
  }
  connected();
  http::SseSplitter splitter;
  std::vector<std::string_view> pieces;
  for (;;) {
    auto const more = co_await connection->read_body(pieces, base::Duration::zero());
    if (more.has_error()) co_return more.error();
    if (!*more) break;
    for (auto const piece : pieces) {
      for (auto const& one : splitter.put(piece)) event(one.data);
    }
  }
  co_return base::Fault(base::Side::server, "upstream_broken", "the event stream ended");
}

}  // namespace slotswap::llama
