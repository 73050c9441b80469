#include <slotswap/swap/group.hpp>
#include <slotswap/telemetry/log.hpp>

#include <algorithm>
#include <utility>

namespace slotswap::swap {

namespace {

using slots::Candidate;
using telemetry::Level;
using telemetry::Line;

Candidate::Kind kind_of(Member const& member) {
  if (member.gate == nullptr) return Candidate::Kind::plain;
  if (member.gate->is_a_router()) return Candidate::Kind::router;
  return member.gate->single() != nullptr ? Candidate::Kind::swapped : Candidate::Kind::plain;
}

}  // namespace

struct Group::State {
  State(net::Loop& loop, Member member_, slots::Pauses pauses)
      : member(std::move(member_)), absence(pauses), changed(loop) {}
  Member member;
  slots::Absence absence;
  bool watched = false;
  net::Signal changed;
  std::shared_ptr<net::UpstreamConnection> asking;  // whether it is back
};

Group::Group(net::Loop& loop, net::TaskGroup& tasks, std::vector<Member> members,
             slots::Pauses pauses)
    : loop_(loop), tasks_(tasks) {
  for (auto& member : members)
    states_.push_back(std::make_unique<State>(loop, std::move(member), pauses));
}

Group::~Group() = default;

std::size_t Group::first(std::vector<std::size_t> const& servers) const {
  std::vector<Candidate> candidates;
  for (auto const server : servers) {
    auto const& absence = states_[server]->absence;
    candidates.emplace_back(server, Candidate::Kind::plain, absence.aside(), absence.due());
  }
  return slots::choose(candidates).front();
}

bool Group::any_open(std::vector<std::size_t> const& servers) const {
  return std::any_of(servers.begin(), servers.end(),
                     [this](std::size_t server) { return !states_[server]->absence.aside(); });
}

std::vector<std::size_t> Group::choose(std::vector<std::size_t> const& servers) const {
  std::vector<Candidate> candidates;
  for (auto const server : servers) {
    auto const& one = *states_[server];
    candidates.emplace_back(server, kind_of(one.member), one.absence.aside(), one.absence.due());
  }
  return slots::choose(candidates);
}

// One that is not there costs its connect_seconds once: then it is set aside.
net::awaitable<void> Group::meet(std::vector<std::size_t> const& servers) {
  for (auto const server : servers) {
    auto const& one = *states_[server];
    if (one.absence.aside() || one.member.gate == nullptr) continue;
    auto const fault = co_await one.member.gate->meet();
    if (fault) failed(server, *fault);
  }
}

net::awaitable<base::Result<Admission>> Group::admit(Visitor visitor,
                                                     std::vector<std::size_t> servers,
                                                     std::size_t& chosen, Cancel& cancel) {
  auto const swapped = visitor.need == Need::slot && visitor.settings != nullptr;
  if (!swapped || servers.size() == 1) {
    chosen = first(servers);
    auto* gate = states_[chosen]->member.gate;
    if (gate == nullptr) co_return Admission();
    co_return co_await gate->admit(std::move(visitor), cancel);
  }
  co_await meet(servers);
  auto any = choose(servers);
  auto const session = visitor.session.value_or("");
  // What needs all slots of a server at once does not wait for two servers.
  auto* single = states_[any.front()]->member.gate->single();
  if (visitor.whole && single != nullptr && single->several()) any.resize(1);
  auto admitted = base::Result<Admission>(Admission());
  if (any.size() > 1) {
    admitted = co_await admit_to_any(std::move(visitor), std::move(any), chosen, cancel);
  } else {
    chosen = any.front();
    admitted = co_await states_[chosen]->member.gate->admit(std::move(visitor), cancel);
  }
  if (admitted.has_value()) moved(session, servers, chosen);
  co_return admitted;
}

net::awaitable<base::Result<Admission>> Group::admit_to_any(Visitor visitor,
                                                            std::vector<std::size_t> servers,
                                                            std::size_t& chosen, Cancel& cancel) {
  auto const host = [this](std::size_t server) -> Host& {
    return *states_[server]->member.gate->single();
  };
  Wish wish = host(servers.front()).wish_of(visitor, visitor.session.value_or(""));
  std::vector<std::pair<Host*, std::size_t>> owners;
  wish.seats.clear();
  for (auto const server : servers) {
    for (auto const seat : host(server).seats()) {
      wish.seats.push_back(seat);
      owners.resize(std::max(owners.size(), seat + 1));
      owners[seat] = {&host(server), server};
    }
  }
  auto& pool = host(servers.front()).pool();
  if (pool.closed()) co_return Host::closing();
  auto const entered = loop_.now();
  auto turn = co_await pool.wait(std::move(wish), &cancel);
  if (!turn) co_return cancel.requested() ? Host::given_up() : Host::closing();
  auto const owner = owners[turn->seats().front()];
  chosen = owner.second;
  co_return co_await owner.first->enter(std::move(visitor), std::move(turn), entered, cancel);
}

// The slots of single servers share a line that sees to it.
void Group::moved(std::string const& session, std::vector<std::size_t> const& servers,
                  std::size_t to) {
  for (auto const server : servers) {
    auto* gate = states_[server]->member.gate;
    if (gate != nullptr && server != to && !session.empty()) gate->moved_away(session);
  }
}

void Group::failed(std::size_t server, base::Fault why) {
  auto& one = *states_[server];
  if (closed_ || !one.member.replaceable) return;
  auto const pause = one.absence.failed(loop_.now());
  if (!pause) return;
  Line(Level::warning, "server")
      .field("server", one.member.name)
      .field("state", "set_aside")
      .field("pause_ms", *pause)
      .say(why.detail);
  if (one.member.gate != nullptr) one.member.gate->set_aside(true);
  one.changed.notify();
  if (!std::exchange(one.watched, true)) tasks_.spawn("set aside", watch(one));
}

void Group::answered(std::size_t server) {
  auto& one = *states_[server];
  if (one.absence.answered()) back(one);
}

void Group::back(State& one) {
  Line(Level::info, "server")
      .field("server", one.member.name)
      .field("state", "back")
      .say("it takes requests again");
  if (one.member.gate != nullptr) one.member.gate->set_aside(false);
  one.changed.notify();
}

net::awaitable<void> Group::watch(State& one) {
  while (!closed_ && one.absence.aside()) {
    auto const changed = co_await one.changed.wait_until(one.absence.due());
    if (changed) continue;
    one.asking = one.member.server.upstream().take(true);
    auto const well = co_await one.member.server.health(one.asking);
    one.asking.reset();
    if (closed_ || !one.absence.aside()) break;
    if (well.has_value()) {
      one.absence.back();
      back(one);
      continue;
    }
    auto const pause = one.absence.missed(loop_.now());
    Line(Level::debug, "server")
        .field("server", one.member.name)
        .field("state", "set_aside")
        .field("pause_ms", pause)
        .say(well.error().detail);
  }
  one.watched = false;
}

void Group::close() {
  closed_ = true;
  for (auto const& one : states_) {
    one->changed.notify();
    if (one->asking) one->asking->close();
  }
}

}  // namespace slotswap::swap
