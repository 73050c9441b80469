// One life of a simulated llama-server: from its start to its end or crash. Loop thread.
#pragma once

#include "llama_sim/book.hpp"
#include "llama_sim/options.hpp"
#include "llama_sim/slot_file.hpp"
#include "llama_sim/slots.hpp"

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

class Server {
 public:
  Server(net::Loop& loop, Options options, Book& book, std::map<Fault, int>& faults,
         Hold const& hold, std::function<void()> crash);

  base::Result<void> listen();
  std::uint16_t port() const { return listener_->port(); }
  bool quiet() const { return work_ == 0 && !slots_.any_busy(); }
  void fall_asleep() { asleep_ = true; }
  /// Every connection is closed, as when the process dies.
  void end();

  /// Of an answer.
  enum class Shape { chat, text, completion, messages };

 private:
  struct Request {
    net::Incoming& incoming;
    http::Target target;
    boost::json::object body;
    bool readable = false;  // a JSON object
  };
  struct Run;  // of one completion: inference.cpp

  net::awaitable<void> handle(net::Incoming& incoming);
  net::awaitable<void> dispatch(Request& request);
  bool let_in(http::RequestHead const& head, std::string const& path) const;
  /// A connection's hundredth request is its last one.
  bool is_last(net::Incoming const& incoming) const;
  bool take_fault(Fault fault);
  net::awaitable<void> hang(net::Incoming& incoming);

  // facts.cpp
  net::awaitable<void> props(Request& request);
  net::awaitable<void> models(Request& request);
  net::awaitable<void> look(Request& request);
  net::awaitable<void> main_loop_free();
  net::awaitable<void> lora(Request& request);
  net::awaitable<void> text_call(Request& request);
  // slot_calls.cpp
  net::awaitable<void> slot_call(Request& request);
  net::awaitable<void> save(Request& request, SimSlot& slot, std::string const& file,
                            std::int64_t id);
  net::awaitable<void> restore(Request& request, SimSlot& slot, std::string const& file,
                               std::int64_t id);
  bool suits(SlotFile const& file) const;
  // inference.cpp
  net::awaitable<void> complete(Request& request);
  net::awaitable<bool> read_prompt(Run& run);
  net::awaitable<bool> generate(Run& run);
  net::awaitable<bool> pause(Run& run, double seconds, Hold held_by);
  bool noticed_gone(Run const& run) const;
  // answers.cpp
  net::awaitable<bool> begin_stream(Run& run);
  std::string first_events(Run const& run) const;
  std::string word_event(Run const& run, std::string const& word) const;
  boost::json::object whole(Run const& run) const;
  std::string last_events(Run const& run) const;
  net::awaitable<bool> send_word(Run& run, std::string const& word);
  net::awaitable<void> send_end(Run& run);

  http::ResponseHead make_head(net::Incoming& incoming, int status, char const* type) const;
  net::awaitable<void> answer(net::Incoming& incoming, int status, boost::json::value body);
  net::awaitable<void> refuse(net::Incoming& incoming, int status, std::string message,
                              std::string type);

  /// Seen only after a second in which no result flowed.
  bool noticed_gone(net::Incoming const& incoming) const;
  bool asleep() const;
  void wake();
  base::Duration scaled(double seconds) const { return base::seconds(seconds * options_.scale); }

  net::Loop& loop_;
  Options options_;
  Book& book_;
  std::map<Fault, int>& faults_;
  Hold const& hold_;
  std::function<void()> crash_;
  std::shared_ptr<net::Budget> budget_;
  Slots slots_;
  std::unique_ptr<net::Listener> listener_;
  std::string marker_;
  base::TimePoint last_activity_;
  /// A wait for results starts anew with each one that flows, whoever it is for: what keeps a
  /// server that is polled too fast from noticing that a client left.
  base::TimePoint last_result_;
  bool asleep_ = false;
  int action_running_ = 0;
  int work_ = 0;                       // completions that run or wait
  std::map<std::string, int> served_;  // requests by connection
};

}  // namespace slotswap::llama_sim
