// Which session's prompt cache a request may use, and what it may leave there.
#include "exchange.hpp"

#include <slotswap/net/blocking.hpp>
#include <slotswap/session/policy.hpp>
#include <slotswap/session/session.hpp>
#include <slotswap/telemetry/log.hpp>

#include <utility>

namespace slotswap::proxy {

namespace {

using config::SideWork;
using telemetry::Level;
using telemetry::Line;

// Above this prompts are compared beside the loop.
constexpr std::size_t large_prompts = 64 * 1024;

}  // namespace

net::awaitable<bool> Exchange::key() {
  auto const& route = config_route();
  visitor_.route = route.model;
  if (!in_slot() || backend().gate == nullptr) {
    if (in_slot() && incoming_.head().fields.has("X-Session-ID")) {
      proxy_.skip_once(route.model, "the route has no slots", std::string());
    }
    co_return true;
  }
  auto const client = session::client_id(incoming_.head().fields.all("X-Session-ID"));
  if (client.has_error()) {
    co_await answer(client.error());
    co_return false;
  }
  if (!route.slots) {
    if (*client)
      proxy_.skip_once(route.model, "the route has no slots, but its server's slot is shared",
                       **client);
    co_return true;
  }
  if (policy_.has_error()) {
    co_await answer(policy_.error());
    co_return false;
  }
  visitor_.settings = &*route.slots;
  visitor_.prompt_digest = facts_.prompt_digest;
  choose_session(*client);
  if (!visitor_.session) co_return true;
  receipt_.session = *visitor_.session;
  auto const story = apply_policy();
  if (story && facts_.prompt) co_await explain_prompt();
  co_return true;
}

void Exchange::choose_session(std::optional<std::string> const& client) {
  auto const& route = config_route();
  auto const keyed = work_ == llama::Work::slot && facts_.readable;
  if (client && !keyed) {
    proxy_.skip_once(route.model, "its path or body belongs to no session", *client);
  }
  if (client && keyed) {
    visitor_.session = session::state_id(*client);
  } else if (route.slots->no_session != config::NoSession::pass) {
    visitor_.session = session::anonymous_id(route.model);
    visitor_.savable = route.slots->no_session == config::NoSession::shared;
  }
}

// What the client wants, else what a rule says. False: it is none of its session's story.
bool Exchange::apply_policy() {
  auto const work = *policy_ ? *policy_
                             : session::side_work(config_route().side_requests,
                                                  incoming_.head().fields, target_.path, facts_);
  if (work == SideWork::isolate || work == SideWork::elsewhere) {
    receipt_.policy = work == SideWork::isolate ? "isolate" : "elsewhere";
    visitor_.elsewhere = work == SideWork::elsewhere;
    run_beside();
    return false;
  }
  auto const met = proxy_.seen_.meet(Proxy::history_key(backend().pool, *visitor_.session));
  if (work == SideWork::no_save) {
    receipt_.policy = "no_save";
    visitor_.savable = false;
  }
  // The prompt of a title or a quick question: read again sooner than written and restored.
  visitor_.small = !work && !met && visitor_.savable && facts_.estimated_tokens &&
                   *facts_.estimated_tokens < proxy_.small_tokens_;
  return true;
}

// In a cache of its own, so that its session's is saved before it and there for the next turn.
void Exchange::run_beside() {
  visitor_.not_with = *visitor_.session;
  visitor_.session = session::isolated_id(visitor_.not_with);
  visitor_.savable = false;
}

net::awaitable<void> Exchange::explain_prompt() {
  auto const slot = backend().gate->slot_of(served_model());
  auto const history_key = Proxy::history_key(backend().pool, *visitor_.session) + slot;
  auto const before = proxy_.history_.find(history_key);
  auto const now = std::make_shared<prompt::Prompt const>(std::move(*facts_.prompt));
  proxy_.history_.put(history_key, now);
  if (!before) co_return;
  prompt::Divergence divergence;
  if (now->bytes() + before->bytes() <= large_prompts) {
    divergence = prompt::compare(*before, *now);
  } else {
    auto work = [before, now] { return prompt::compare(*before, *now); };
    divergence = co_await net::run_blocking(proxy_.loop_, std::move(work));
  }
  Line(Level::info, "prompt")
      .field("id", receipt_.id)
      .field("route", receipt_.route)
      .field("session", receipt_.session)
      .field("result", prompt::to_string(divergence.kind))
      .field("messages", divergence.parts)
      .field("messages_before", divergence.parts_before)
      .field("same_messages", divergence.same_parts)
      .say(prompt::describe(divergence));
}

}  // namespace slotswap::proxy
