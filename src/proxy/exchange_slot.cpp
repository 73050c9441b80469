// How a request waits for its slot and is held to it: its place in the line, the slot that it
// names, and that it ends with its client.
#include "exchange.hpp"

#include <slotswap/base/text.hpp>

#include <utility>

namespace slotswap::proxy {

// Whose request it is, as far as that is known: by its API key, else by its address.
std::string Exchange::client() {
  auto const& fields = incoming_.head().fields;
  auto key = fields.get("Authorization");
  if (key.empty()) key = fields.get("X-Api-Key");
  if (!key.empty()) return "key " + base::sha256_hex(key);
  auto const& peer = incoming_.peer();
  return peer.substr(0, peer.rfind(':'));
}

// Before anything is waited for, so that the answer comes at once.
net::awaitable<bool> Exchange::stand_in_line() {
  auto const& queue = config_route().queue;
  slots::Line::Limits limits;
  limits.in_all = queue.max_waiting;
  limits.per_client = queue.max_waiting_per_key;
  auto const full = proxy_.line_.enter(route_, client(), limits);
  if (full) {
    base::Fault const fault(base::Side::us, "queue_full", *full);
    auto problem = http::to_problem(fault);
    problem.retry_after = proxy_.line_.seconds_to_wait(route_);
    receipt_.code = fault.code;
    receipt_.detail = fault.detail;
    receipt_.status = problem.status;
    co_await incoming_.respond(std::move(problem));
    co_return false;
  }
  place_.emplace(proxy_.line_, route_, client(), proxy_.loop_.now());
  patience_.expires_in(queue.timeout);
  visitor_.queue = queue;
  visitor_.client = client();
  visitor_.on_turn = [this] {
    if (!place_) return;
    place_->turn_came(proxy_.loop_.now());
    place_.reset();
    patience_.off();
  };
  co_return true;
}

// Of several slots the server must be told which; what does not heed that gets all of them.
bool Exchange::pinned() const {
  return work_ == llama::Work::slot && facts_.readable && facts_.choices <= 1 &&
         llama::heeds_id_slot(target_.path);
}

// False: there is no room for the second body.
bool Exchange::name_slot() {
  if (!admission_.lease || !admission_.lease->slot) return true;
  auto body = std::make_shared<net::Body>(proxy_.budget_);
  if (!body->append(prompt::with_slot(body_->bytes(), *admission_.lease->slot))) return false;
  body_ = std::move(body);
  return true;
}

// With X-Conversation-Id llama-server goes on generating for a client that left, and holds the
// slot.
void Exchange::hold_to_its_client() {
  auto& fields = incoming_.head().fields;
  if (!in_slot() || backend().gate == nullptr || !fields.has("X-Conversation-Id")) return;
  detached_ = config_route().allow_detached;
  if (detached_) return;
  fields.erase("X-Conversation-Id");
  proxy_.skip_once(config_route().model,
                   "X-Conversation-Id is not forwarded: no resumable streams (allow_detached)",
                   receipt_.session);
}

}  // namespace slotswap::proxy
