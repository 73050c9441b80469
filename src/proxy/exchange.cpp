#include "exchange.hpp"

#include <slotswap/net/blocking.hpp>
#include <slotswap/session/policy.hpp>
#include <slotswap/telemetry/log.hpp>

#include <utility>

namespace slotswap::proxy {

namespace {

using telemetry::Level;
using telemetry::Line;

// Above this a body is read beside the loop.
constexpr std::size_t large_body = 64 * 1024;

base::Fault waited_too_long() {
  return base::Fault(base::Side::us, "queue_timeout",
                     "no turn at the slot within queue_timeout_seconds; try again later");
}

// It is for slotswap, whatever its value and wherever the request goes.
base::Result<std::optional<config::SideWork>> take_policy(http::Fields& fields) {
  auto policy = session::client_policy(fields.all("X-Slot-Policy"));
  fields.erase("X-Slot-Policy");
  return policy;
}

}  // namespace

Exchange::Exchange(Proxy& proxy, net::Incoming& incoming)
    : proxy_(proxy),
      waiting_(proxy.loop_, incoming),
      incoming_(waiting_),
      began_(proxy.loop_.now()),
      target_(http::split_target(incoming.head().target)),
      policy_(take_policy(incoming.head().fields)),
      patience_(proxy.loop_, [this] { cancel_.request_late(); }) {
  receipt_.id = ++proxy.last_id_;
  receipt_.method = incoming.head().method;
  receipt_.path = target_.path;
  receipt_.peer = incoming.peer();
  work_ = llama::classify(receipt_.method, target_.path);
  incoming_.on_gone([this] { cancel_.request(); });
  if (incoming_.gone()) cancel_.request();
}

Exchange::~Exchange() {
  incoming_.on_gone(nullptr);
}

net::awaitable<void> Exchange::run() {
  co_await go();
  log();
}

net::awaitable<void> Exchange::go() {
  auto open = co_await own_paths();
  if (open) open = co_await read();
  if (open) open = co_await route();
  if (open) open = co_await key();
  if (open) open = co_await lease();
  if (open) co_await forward();
}

bool Exchange::has_body() const {
  auto const& method = receipt_.method;
  return method != "GET" && method != "HEAD" && method != "OPTIONS";
}

bool Exchange::in_slot() const {
  return work_ == llama::Work::slot || work_ == llama::Work::other;
}

swap::Need Exchange::need() const {
  if (in_slot()) return swap::Need::slot;
  switch (llama::router_work(receipt_.method, target_.path)) {
    case llama::RouterWork::load:
      return swap::Need::load;
    case llama::RouterWork::unload:
      return swap::Need::unload;
    case llama::RouterWork::model:
      return swap::Need::model;
    case llama::RouterWork::none:
      break;
  }
  return swap::Need::nothing;
}

net::awaitable<void> Exchange::answer(base::Fault fault) {
  if (cancel_.late()) fault = waited_too_long();
  receipt_.code = fault.code;
  receipt_.detail = fault.detail;
  auto const left = fault.code == "client_gone" || fault.code == "closed" || cancel_.requested();
  if (left && !cancel_.late()) {
    receipt_.code = "client_gone";
    receipt_.status = 499;
    co_return;
  }
  auto problem = http::to_problem(fault);
  receipt_.status = problem.status;
  co_await incoming_.respond(std::move(problem));
}

net::awaitable<bool> Exchange::own_paths() {
  auto const get = receipt_.method == "GET" || receipt_.method == "HEAD";
  if (get && target_.path == "/slotswap/health") {
    receipt_.status = proxy_.stopping_ ? 503 : 200;
    auto head = http::json_head(receipt_.status);
    std::string body = proxy_.stopping_ ? R"({"status":"stopping"})" : R"({"status":"ok"})";
    co_await incoming_.respond(std::move(head), std::move(body));
    co_return false;
  }
  if (target_.path.rfind("/slotswap/", 0) == 0) {
    co_await answer(
        base::Fault(base::Side::client, "not_found", "slotswap has no " + target_.path));
    co_return false;
  }
  if (work_ == llama::Work::refused) {
    co_await answer(base::Fault(
        base::Side::client, "slots_forbidden",
        "slots and adapters are slotswap's to change: " + target_.path + " is not forwarded"));
    co_return false;
  }
  auto const models = target_.path == "/v1/models" || target_.path == "/models";
  if (receipt_.method == "GET" && models && proxy_.backends_.size() > 1) {
    co_await list_models();
    co_return false;
  }
  co_return true;
}

net::awaitable<bool> Exchange::read() {
  // Also where none belongs: what is not read would be taken for the next request.
  auto const body = co_await incoming_.read_body(proxy_.config_.limits.body_bytes, proxy_.budget_);
  if (body.has_error()) {
    co_await answer(body.error());
    co_return false;
  }
  body_ = *body;
  receipt_.bytes_in = body_->bytes().size();
  if (!has_body()) {
    // So a router takes it; where no route serves it the first one does.
    auto named = http::query_value(target_.query, "model");
    if (named && proxy_.route_of(named)) facts_.model = std::move(named);
    co_return true;
  }
  if (body_->bytes().size() <= large_body) {
    facts_ = prompt::read(target_.path, body_->bytes());
  } else {
    auto work = [path = target_.path, held = body_] { return prompt::read(path, held->bytes()); };
    facts_ = co_await net::run_blocking(proxy_.loop_, std::move(work));
  }
  co_return true;
}

net::awaitable<bool> Exchange::route() {
  auto const found = proxy_.route_of(facts_.model);
  if (!found) {
    co_await answer(base::Fault(base::Side::client, "model_not_found",
                                "no route serves the model '" + facts_.model.value_or("") +
                                    "' (see routes: in the configuration)"));
    co_return false;
  }
  route_ = *found;
  servers_ = config_route().servers;
  server_ = proxy_.group_.first(servers_);
  receipt_.route = config_route().model;
  receipt_.server = backend().settings.name;
  if (rewrite_model()) co_return true;
  co_await answer(net::buffers_full());
  co_return false;
}

// False: there is no room for the second body.
bool Exchange::rewrite_model() {
  auto const& name = config_route().upstream_model;
  if (name.empty() || !facts_.readable || facts_.model == name) return true;
  auto body = std::make_shared<net::Body>(proxy_.budget_);
  if (!body->append(prompt::with_model(body_->bytes(), name))) return false;
  body_ = std::move(body);
  return true;
}

std::string Exchange::served_model() const {
  auto const& name = config_route().upstream_model;
  return name.empty() ? facts_.model.value_or("") : name;
}

void Exchange::beat_while_waiting() {
  auto const period = config_route().heartbeat;
  if (!facts_.stream || work_ != llama::Work::slot || period <= base::Duration::zero()) return;
  if (auto const dialect = llama::dialect_of(target_.path)) waiting_.beat(*dialect, period);
}

net::awaitable<bool> Exchange::lease() {
  if (backend().gate == nullptr) co_return true;
  incoming_.unmark();
  visitor_.need = need();
  if (visitor_.need == swap::Need::slot) {
    auto const stands = co_await stand_in_line();
    if (!stands) co_return false;
  }
  visitor_.whole = !pinned();
  visitor_.model = served_model();
  visitor_.may_load = llama::may_load(target_.query);
  auto const asked = proxy_.loop_.now();
  beat_while_waiting();
  auto admission = proxy_.group_.admit(visitor_, servers_, server_, cancel_);
  auto admitted = co_await waiting_.during(std::move(admission));
  receipt_.server = backend().settings.name;
  patience_.off();
  place_.reset();
  if (admitted.has_error()) {
    receipt_.waited_ms = base::to_ms(proxy_.loop_.now() - asked);
    co_await answer(admitted.error());
    co_return false;
  }
  admission_ = std::move(*admitted);
  if (!admission_.skipped.empty())
    proxy_.skip_once(visitor_.route, admission_.skipped, receipt_.session);
  if (admission_.lease) {
    auto const& swapped = admission_.lease->swapped;
    if (admission_.lease->small) receipt_.policy = "small";
    receipt_.swapped = swapped.what;
    receipt_.note = swapped.note;
    receipt_.waited_ms = base::to_ms(admission_.waited + swapped.waited);
    receipt_.swap_ms = base::to_ms(swapped.took);
    if (visitor_.session) {
      receipt_.slot = swap::to_string(swapped.found);
      incoming_.mark(receipt_, config_route().response_headers);
    }
  }
  auto const named = cancel_.requested() || name_slot();
  if (named && !cancel_.requested()) co_return true;
  // It never reached the server: the slot is as the swap left it.
  if (admission_.lease) admission_.lease->finish(slots::Outcome());
  if (!named) {
    co_await answer(net::buffers_full());
    co_return false;
  }
  co_await answer(
      base::Fault(base::Side::client, "client_gone", "the client left while it waited"));
  co_return false;
}

net::awaitable<void> Exchange::forward() {
  hold_to_its_client();
  auto relayed = co_await send(Try::first);
  while (goes_elsewhere(relayed)) {
    auto const open = co_await lease_elsewhere(relayed);
    if (!open) co_return;
    relayed = co_await send(Try::first);
  }
  if (relayed.again) {
    auto const open = co_await lease_again(relayed.outcome);
    if (!open) co_return;
    relayed = co_await send(Try::second);
  }
  settle(relayed);
  if (relayed.fault.code.empty()) co_return;
  if (incoming_.begun()) {
    // A server that broke off did so before the client could leave.
    auto const left = cancel_.requested() && relayed.outcome.kind != slots::Outcome::Kind::broken;
    receipt_.cut = relayed.cut;
    receipt_.code = left ? "client_gone" : relayed.fault.code;
    receipt_.detail = left ? "the client left during the answer" : relayed.fault.detail;
  } else {
    co_await answer(relayed.fault);
  }
  note_server_trouble();
}

// Null: there is no slot to look at, or what it does says nothing of the request.
std::unique_ptr<StuckWatch> Exchange::watch_for_stuck() const {
  StuckTimes times;
  times.stuck = config_route().stuck;
  times.look_again = proxy_.times_.swap.look_again;
  times.look = proxy_.times_.look;
  // Of several slots only the one that it names is known to be its own.
  auto const several = visitor_.settings != nullptr && visitor_.settings->ids.size() > 1;
  auto const known = admission_.lease && (!several || admission_.lease->slot);
  auto const watched = known && work_ == llama::Work::slot;
  if (!watched || times.stuck <= base::Duration::zero()) return nullptr;
  auto const model = backend().gate->slot_of(visitor_.model);
  auto const only = visitor_.settings != nullptr ? visitor_.settings->id : 0;
  auto const id = admission_.lease->slot.value_or(only);
  auto server = model.empty() ? backend().server : backend().server.for_model(model);
  return std::make_unique<StuckWatch>(proxy_.loop_, proxy_.tasks_, std::move(server), id, times);
}

// Once more where the server forgot it, and once in all.
net::awaitable<Relayed> Exchange::send(Try which) {
  auto const watch = watch_for_stuck();
  auto relayed =
      co_await relay(proxy_.loop_, incoming_, backend(), body_, cancel_, which, watch.get());
  if (!relayed.stuck || cancel_.requested() || std::exchange(was_stuck_, true)) co_return relayed;
  Line(Level::warning, "server")
      .field("server", receipt_.server)
      .field("state", "stuck")
      .field("request", receipt_.id)
      .say("no answer began while the slot stood idle: the request is sent once more");
  // By then the server has seen that nobody waits for the first one, and lets go of it.
  co_await pause(proxy_.loop_, proxy_.times_.swap.before_event, cancel_);
  if (cancel_.requested()) co_return relayed;
  auto const afresh = which == Try::first ? Try::afresh : which;
  relayed = co_await relay(proxy_.loop_, incoming_, backend(), body_, cancel_, afresh, watch.get());
  // The first one did reach the server, whatever became of this one.
  if (relayed.outcome.kind == slots::Outcome::Kind::not_sent)
    relayed.outcome.kind = slots::Outcome::Kind::cancelled;
  co_return relayed;
}

// The model's process was gone: another one is loaded, and gets the session's state first.
net::awaitable<bool> Exchange::lease_again(slots::Outcome outcome) {
  Line(Level::info, "server")
      .field("server", receipt_.server)
      .field("state", "sent_again")
      .field("request", receipt_.id)
      .say("the router could not reach the model's process: the request is sent once more");
  if (admission_.lease) admission_.lease->finish(outcome);
  admission_ = swap::Admission();
  if (backend().gate != nullptr) backend().gate->lost(visitor_.model);
  co_return co_await lease();
}

void Exchange::settle(Relayed const& relayed) {
  auto outcome = relayed.outcome;
  outcome.detached = detached_;
  if (admission_.lease) admission_.lease->finish(outcome);
  if (admission_.answered) admission_.answered(relayed.outcome.status);
  receipt_.status = relayed.outcome.status;
  receipt_.bytes_out = relayed.bytes;
  receipt_.reused = relayed.timings.reused;
  receipt_.read = relayed.timings.read;
  if (relayed.first_byte) receipt_.first_byte_ms = base::to_ms(*relayed.first_byte - began_);
}

void Exchange::note_server_trouble() {
  if (receipt_.code == "client_gone") return;
  auto const silent = receipt_.code == "upstream_timeout" || receipt_.code == "upstream_stuck";
  if (backend().gate != nullptr && !silent) backend().gate->lost(visitor_.model);
  Line(Level::warning, "server")
      .field("server", receipt_.server)
      .field("state", receipt_.code)
      .field("request", receipt_.id)
      .say(receipt_.detail);
}

void Exchange::log() {
  receipt_.heartbeats = waiting_.beats();
  receipt_.total_ms = base::to_ms(proxy_.loop_.now() - began_);
  auto const refused_key =
      (receipt_.status == 401 || receipt_.status == 403) && receipt_.code.empty();
  if (refused_key) {
    Line(Level::warning, "server")
        .field("server", receipt_.server)
        .field("state", "refused_key")
        .field("request", receipt_.id)
        .say("the server refused the key of a request");
  }
  if (target_.path == "/slotswap/health" && !telemetry::enabled(Level::debug)) return;
  report::log(receipt_);
}

// The union over the servers; one that does not answer is left out, and said.
net::awaitable<void> Exchange::list_models() {
  std::vector<std::string> bodies;
  for (auto& backend : proxy_.backends_) {
    auto head = upstream_head(incoming_.head(), backend.server, 0);
    for (auto const* name : {"Accept-Encoding", "If-None-Match", "If-Modified-Since"})
      head.fields.erase(name);
    auto const answered =
        co_await backend.server.upstream().call(std::move(head), "", std::chrono::seconds(15));
    auto why = answered.has_error() ? answered.error().code : std::string();
    if (why.empty() && answered->head.status != 200) why = std::to_string(answered->head.status);
    if (why.empty() && llama::read_model_ids(answered->body).has_error()) why = "bad_answer";
    if (!why.empty()) {
      Line(Level::warning, "server")
          .field("server", backend.settings.name)
          .field("state", why)
          .say("left out of the list of models");
      continue;
    }
    bodies.push_back(answered->body);
  }
  auto merged = llama::merge_models(bodies);
  if (bodies.empty() || merged.has_error()) {
    co_await answer(base::Fault(base::Side::server, "upstream_unreachable",
                                "no server gave its list of models"));
    co_return;
  }
  receipt_.status = 200;
  auto head = http::json_head(receipt_.status);
  co_await incoming_.respond(std::move(head), std::move(*merged));
}

}  // namespace slotswap::proxy
