#include "llama_sim/server.hpp"

#include <slotswap/base/text.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <string_view>
#include <utility>

namespace slotswap::llama_sim {

namespace {

constexpr std::array<std::string_view, 6> text_calls{
    "/tokenize",      "/apply-template", "/v1/messages/count_tokens",
    "/v1/embeddings", "/embeddings",     "/embedding"};
constexpr std::array<std::string_view, 6> completions{"/completion",       "/completions",
                                                      "/v1/completions",   "/v1/chat/completions",
                                                      "/chat/completions", "/v1/messages"};
constexpr std::array<std::string_view, 3> of_the_model{"/props", "/slots", "/lora-adapters"};

template <class List>
bool among(List const& list, std::string const& path) {
  return std::find(list.begin(), list.end(), path) != list.end();
}

std::string random_marker() {
  static std::random_device device;
  return "<__media_" +
         base::sha256_hex(std::to_string(device()) + std::to_string(device())).substr(0, 16) +
         "__>";
}

}  // namespace

Server::Server(World world, Options options, std::function<void()> crash)
    : Front(world, std::move(options)),
      crash_(std::move(crash)),
      slots_(loop_, options_.slots, scaled(1.0), book_),
      marker_(random_marker()),
      last_activity_(loop_.now()),
      last_result_(loop_.now()) {}

bool Server::serves(std::string const& method, std::string const& path) {
  if (method == "GET" || method == "HEAD") return among(of_the_model, path);
  return method == "POST" &&
         (path.rfind("/slots/", 0) == 0 || among(text_calls, path) || among(completions, path));
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
    if (woken_) woken_();
  }
  asleep_ = false;
  last_activity_ = loop_.now();
}

bool Server::noticed_gone(net::Incoming const& incoming) const {
  return incoming.gone() && loop_.now() - last_result_ >= scaled(1.0);
}

// Whatever the model might be needed for wakes it, even what is refused then.
net::awaitable<void> Server::dispatch(Request& request) {
  // Remembered: what is asked next may move the time of the last activity.
  asleep_ = asleep();
  auto& incoming = request.incoming;
  auto const& path = request.target.path;
  auto const get = is_get(incoming.head());
  auto const post = incoming.head().method == "POST";
  if (incoming.head().method == "OPTIONS") {
    co_await answer_options(incoming);
  } else if (get && (path == "/health" || path == "/v1/health")) {
    co_await answer_health(incoming);
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
  } else if (post && among(text_calls, path)) {
    wake();
    co_await text_call(request);
  } else if (post && among(completions, path)) {
    wake();
    co_await complete(request);
  } else {
    co_await refuse(incoming, 404, "File Not Found", "not_found_error");
  }
}

}  // namespace slotswap::llama_sim
