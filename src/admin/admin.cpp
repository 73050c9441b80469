#include <slotswap/admin/admin.hpp>
#include <slotswap/http/path.hpp>
#include <slotswap/http/problem.hpp>

#include <string_view>
#include <utility>
#include <vector>

namespace slotswap::admin {

namespace {

/// The segments of a target, each decoded by itself: a model's name may hold an encoded slash.
std::vector<std::string> segments(std::string_view target) {
  std::vector<std::string> out;
  auto path = target.substr(0, target.find('?'));
  while (!path.empty()) {
    path.remove_prefix(1);
    auto const end = path.find('/');
    out.push_back(http::split_target(path.substr(0, end)).path);
    path = end == std::string_view::npos ? std::string_view() : path.substr(end);
  }
  return out;
}

}  // namespace

net::awaitable<void> Admin::handle(net::Incoming& incoming) {
  auto const& head = incoming.head();
  auto const parts = segments(head.target);
  if (head.method == "GET" && head.target == "/slotswap/health") {
    co_await actions_.health(incoming);
    co_return;
  }
  if (parts.size() == 4 && parts[0] == "api" && parts[1] == "sessions") {
    if (head.method == "DELETE") {
      co_await forget(incoming, parts[2], parts[3]);
      co_return;
    }
    http::Problem const wrong(405, "method_not_allowed", "a session can only be deleted here");
    auto answer = http::json_head(wrong.status);
    answer.fields.add("Allow", "DELETE");  // RFC 9110 15.5.6 wants it
    co_await incoming.respond(std::move(answer), http::problem_body(wrong));
    co_return;
  }
  http::Problem problem(
      404, "not_found",
      "the admin listener answers GET /slotswap/health and DELETE /api/sessions/ROUTE/ID");
  co_await incoming.respond(std::move(problem));
}

net::awaitable<void> Admin::forget(net::Incoming& incoming, std::string route, std::string id) {
  auto const forgotten = co_await actions_.forget(std::move(route), std::move(id));
  if (forgotten.has_error()) {
    co_await incoming.respond(http::to_problem(forgotten.error()));
    co_return;
  }
  if (!*forgotten) {
    http::Problem nothing(404, "no_session", "nothing is kept of this session");
    co_await incoming.respond(std::move(nothing));
    co_return;
  }
  http::ResponseHead gone;
  gone.status = 204;
  co_await incoming.respond(std::move(gone), std::string());
}

}  // namespace slotswap::admin
