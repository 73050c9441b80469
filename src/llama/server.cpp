#include <slotswap/json/scan.hpp>
#include <slotswap/llama/server.hpp>

#include <utility>

namespace slotswap::llama {

namespace {

// Facts are answered at once even in the middle of a prefill; a server that takes longer is not
// there for us.
constexpr auto facts_timeout = std::chrono::seconds(15);

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
  if (status == 503) return base::Fault(base::Side::server, "loading", words);
  return base::Fault(base::Side::server, "refused", words);
}

}  // namespace

Server::Server(net::Upstream& upstream, std::string prefix, std::string api_key)
    : upstream_(upstream), prefix_(std::move(prefix)), api_key_(std::move(api_key)) {}

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
  auto const body = co_await ask("GET", "/props", "", facts_timeout);
  if (body.has_error()) co_return body.error();
  co_return read_props(*body);
}

net::awaitable<base::Result<std::vector<SlotLook>>> Server::slots(base::Duration timeout) {
  auto const body = co_await ask("GET", "/slots", "", timeout);
  if (body.has_error()) co_return body.error();
  co_return read_slots(*body);
}

net::awaitable<base::Result<Model>> Server::model() {
  auto const body = co_await ask("GET", "/v1/models", "", facts_timeout);
  if (body.has_error()) co_return body.error();
  co_return read_first_model(*body);
}

net::awaitable<base::Result<std::string>> Server::adapters() {
  auto const body = co_await ask("GET", "/lora-adapters", "", facts_timeout);
  if (body.has_value()) co_return read_adapters(*body);
  // Older builds, and what is no llama-server.
  if (body.error().code == "refused") co_return std::string();
  co_return body.error();
}

net::awaitable<Probe> Server::probe() {
  auto head = request("POST", prefix_ + "/slots/0?action=probe", api_key_);
  auto const answer = co_await upstream_.call(std::move(head), "{}", facts_timeout);
  if (answer.has_error()) co_return Probe::unknown;
  co_return read_probe(answer->head.status, answer->body);
}

net::awaitable<base::Result<std::string>> Server::act(int slot, std::string action,
                                                      std::string file, base::Duration timeout,
                                                      net::Use use) {
  auto path = "/slots/" + std::to_string(slot) + "?action=" + action;
  auto body = file.empty() ? std::string("{}") : "{\"filename\":" + json::quote(file) + "}";
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

}  // namespace slotswap::llama
