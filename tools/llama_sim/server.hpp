// One life of a simulated llama-server with a model: from its start to its end or crash. A router's
// child is one that does not listen. Loop thread.
#pragma once

#include "llama_sim/front.hpp"
#include "llama_sim/slot_file.hpp"
#include "llama_sim/slots.hpp"

#include <boost/json/object.hpp>

#include <functional>
#include <string>

namespace slotswap::llama_sim {

class Server : public Front {
 public:
  Server(World world, Options options, std::function<void()> crash);

  /// Whether there is such a call at all; else it is a 404.
  static bool serves(std::string const& method, std::string const& path);

  bool quiet() const override { return work_ == 0 && !slots_.any_busy(); }
  void fall_asleep() override { asleep_ = true; }
  bool asleep() const;
  /// Called when it wakes, before anything else is done.
  void on_wake(std::function<void()> woken) { woken_ = std::move(woken); }
  /// As when it was told to end: its completions get no further, not even to their end.
  void freeze() { frozen_ = true; }
  /// What the model is, as the list of models tells it.
  boost::json::object meta() const;

  net::awaitable<void> dispatch(Request& request) override;

  /// Of an answer.
  enum class Shape { chat, text, completion, messages };

 private:
  struct Run;  // of one completion: inference.cpp

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
  net::awaitable<void> move_state(std::size_t tokens);
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

  /// Seen only after a second in which no result flowed.
  bool noticed_gone(net::Incoming const& incoming) const;
  void wake();

  std::function<void()> crash_;
  std::function<void()> woken_;
  Slots slots_;
  std::string marker_;
  base::TimePoint last_activity_;
  /// A wait for results starts anew with each one that flows, whoever it is for: what keeps a
  /// server that is polled too fast from noticing that a client left.
  base::TimePoint last_result_;
  bool asleep_ = false;
  int action_running_ = 0;
  bool frozen_ = false;
  int work_ = 0;  // completions that run or wait
};

}  // namespace slotswap::llama_sim
