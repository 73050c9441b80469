// All servers, as far as routes choose among them: which one a request goes to, and which are set
// aside because they failed, until GET /health says that they are back (docs/queue.md). Loop
// thread.
#pragma once

#include <slotswap/llama/server.hpp>
#include <slotswap/net/loop.hpp>
#include <slotswap/slots/servers.hpp>
#include <slotswap/swap/gate.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace slotswap::swap {

struct Member {
  Member(std::string name_, llama::Server& server_, Gate* gate_, bool replaceable_)
      : name(std::move(name_)), server(server_), gate(gate_), replaceable(replaceable_) {}
  std::string name;
  llama::Server& server;
  Gate* gate;        // null: no route of this server has slots
  bool replaceable;  // a route has other servers beside it: it is set aside when it fails
};

class Group {
 public:
  /// Servers are named by their place in `members`; what those point to outlives the group.
  Group(net::Loop& loop, net::TaskGroup& tasks, std::vector<Member> members, slots::Pauses pauses);
  ~Group();

  /// For a request that needs no slot. Of `servers`, at least one, the first that is not set aside.
  std::size_t first(std::vector<std::size_t> const& servers) const;

  /// Whether one of them is not set aside.
  bool any_open(std::vector<std::size_t> const& servers) const;

  /// As Gate::admit, of any of `servers`; `chosen`: of which.
  net::awaitable<base::Result<Admission>> admit(Visitor visitor, std::vector<std::size_t> servers,
                                                std::size_t& chosen, Cancel& cancel);

  /// It could not be reached, or gave no answer.
  void failed(std::size_t server, base::Fault why);
  /// A request got an answer there.
  void answered(std::size_t server);
  /// Nothing is set aside any more, and no server is asked.
  void close();

 private:
  struct State;

  net::awaitable<void> meet(std::vector<std::size_t> const& servers);
  std::vector<std::size_t> choose(std::vector<std::size_t> const& servers) const;
  net::awaitable<base::Result<Admission>> admit_to_any(Visitor visitor,
                                                       std::vector<std::size_t> servers,
                                                       std::size_t& chosen, Cancel& cancel);
  void moved(std::string const& session, std::vector<std::size_t> const& servers, std::size_t to);
  void back(State& one);
  net::awaitable<void> watch(State& one);

  net::Loop& loop_;
  net::TaskGroup& tasks_;
  std::vector<std::unique_ptr<State>> states_;
  bool closed_ = false;
};

}  // namespace slotswap::swap
