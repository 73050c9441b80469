// What every simulated process has, a server and a router alike: its listener, its connections, the
// check of the key, the reading of bodies, its own answers. Loop thread.
#pragma once

#include "llama_sim/book.hpp"
#include "llama_sim/options.hpp"

#include <slotswap/http/path.hpp>
#include <slotswap/net/incoming.hpp>
#include <slotswap/net/listener.hpp>
#include <slotswap/net/loop.hpp>

#include <boost/json/object.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace slotswap::llama_sim {

/// What outlives a process: given to each one anew.
struct World {
  World(net::Loop& loop_, Book& book_, std::map<Fault, int>& faults_, Hold const& hold_)
      : loop(loop_), book(book_), faults(faults_), hold(hold_) {}
  net::Loop& loop;
  Book& book;
  std::map<Fault, int>& faults;
  Hold const& hold;

  bool take_fault(Fault fault);
};

/// With its body, read and parsed.
struct Request {
  explicit Request(net::Incoming& incoming_);
  Request(net::Incoming& incoming_, Request const& other);

  net::Incoming& incoming;
  http::Target target;
  boost::json::object body;
  bool readable = false;  // a JSON object

  std::string text(char const* member) const;  // empty when it is none
};

class Front {
 public:
  Front(World world, Options options);
  virtual ~Front() = default;
  Front(Front const&) = delete;
  Front& operator=(Front const&) = delete;

  base::Result<void> listen();
  std::uint16_t port() const { return listener_->port(); }
  /// Every connection is closed, as when the process dies.
  virtual void end();
  virtual bool quiet() const = 0;
  virtual void fall_asleep() = 0;
  /// A fault was ordered: those that need no call happen now.
  virtual void ordered(Fault) {}

  virtual net::awaitable<void> dispatch(Request& request) = 0;

 protected:
  /// What the book says that a request was for; empty where there is but one.
  virtual std::string model_of(Request const&) const { return {}; }
  virtual bool closes_after(int status) const { return status == 401; }

  http::ResponseHead make_head(net::Incoming& incoming, int status, char const* type) const;
  net::awaitable<void> answer(net::Incoming& incoming, int status, boost::json::value body);
  net::awaitable<void> refuse(net::Incoming& incoming, int status, std::string message,
                              std::string type);
  net::awaitable<void> answer_options(net::Incoming& incoming);
  net::awaitable<void> answer_health(net::Incoming& incoming);
  net::awaitable<void> hang(net::Incoming& incoming);
  bool take_fault(Fault fault) { return world_.take_fault(fault); }
  base::Duration scaled(double seconds) const { return base::seconds(seconds * options_.scale); }

  World world_;
  Options options_;
  net::Loop& loop_;
  Book& book_;
  Hold const& hold_;

 private:
  net::awaitable<void> handle(net::Incoming& incoming);
  bool let_in(http::RequestHead const& head, std::string const& path) const;
  /// A connection's hundredth request is its last one.
  bool is_last(net::Incoming const& incoming) const;

  std::shared_ptr<net::Budget> budget_;
  std::unique_ptr<net::Listener> listener_;
  std::map<std::string, int> served_;  // requests by connection
};

bool is_get(http::RequestHead const& head);

}  // namespace slotswap::llama_sim
