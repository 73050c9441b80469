// One llama-server in router mode: which models are loaded (it tells by an event stream), room for
// the one that a request needs, and a Host for each whose slot was used. Loads and unloads models
// itself, so that none leaves with a prompt cache that is not saved (docs/router.md). Loop thread.
#pragma once

#include <slotswap/llama/server.hpp>
#include <slotswap/net/loop.hpp>
#include <slotswap/slots/roster.hpp>
#include <slotswap/swap/host.hpp>
#include <slotswap/telemetry/log.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slotswap::swap {

struct RouterSettings {
  RouterSettings() = default;
  HostSettings host;              // of each model; `slots` where no route names it
  int models_max = 0;             // where the router does not tell; 0: no limit
  base::Duration load_timeout{};  // 0: none
};

class Router {
 public:
  Router(net::Loop& loop, net::TaskGroup& tasks, llama::Server& server, Vault& vault,
         RouterSettings settings);
  ~Router();

  /// Takes over: the server said that it is a router.
  void begin(llama::Props const& props);
  /// It did not when it was asked last.
  bool in_charge() const { return in_charge_; }

  /// Waits until the model is loaded, with room made for it, and for the turn at its slot. Faults:
  /// as Host::admit.
  net::awaitable<base::Result<Admission>> admit(Visitor visitor, Cancel& cancel);

  net::awaitable<void> resume();
  net::awaitable<base::Result<bool>> forget(std::string id);
  /// A request to this model failed or broke.
  void lost(std::string const& model);
  void set_aside(bool aside);
  void moved_away(std::string const& session);
  void close();
  net::awaitable<void> drain();
  /// Of a name or an alias; what is not known stays as it is.
  std::string id_of(std::string const& name) const;
  /// Null: no request needed its slot yet.
  Host const* host(std::string const& model) const;

 private:
  struct Model;
  class Use;
  class Leaving;
  class Place;

  // router.cpp
  void answered(Need need, std::string const& id, int status);
  net::awaitable<bool> ended_meanwhile(std::string id, Admission const& admission,
                                       std::uint64_t endings, Cancel& cancel);
  Model& model(std::string const& id);
  Host& host_of(std::string const& id);
  config::Slots const& settings_of(std::string const& id) const;

  // router_room.cpp
  enum class Loaded { yes, no_room, failed };
  net::awaitable<base::Result<bool>> place(std::string id, Need need, Cancel& cancel, Use& use);
  net::awaitable<Loaded> load(std::string id, Cancel& cancel);
  net::awaitable<Loaded> load_unseen(std::string id, base::TimePoint until, Cancel& cancel);
  net::awaitable<bool> evict(std::string victim, std::string why);
  net::awaitable<bool> unload(std::string id, std::string why);
  net::awaitable<bool> used_by_others(std::string id);
  net::awaitable<bool> wait_for_end(std::string id);
  net::awaitable<base::Result<Admission>> leave_to(std::string id, Cancel& cancel);
  net::awaitable<void> finish_leaving(std::string id, std::unique_ptr<Turn> turn);
  net::awaitable<void> changed(base::TimePoint until, Cancel* cancel);
  telemetry::Line load_line(std::string const& id) const;
  base::TimePoint load_deadline(base::TimePoint began) const;
  void wake();

  // router_truth.cpp
  net::awaitable<void> settle();
  net::awaitable<void> refresh();
  net::awaitable<std::optional<std::string>> resolve(std::string name);
  void saw(std::string const& id, llama::ModelStatus status);
  void take(std::string const& id, llama::ModelStatus status);
  void read_list(std::vector<llama::RouterModel> const& list);
  void warn_of_sleep(std::string const& id);
  void take_limit(llama::Props const& props);
  net::awaitable<void> follow();
  net::awaitable<bool> ask_what_it_is();
  void on_event(std::string const& data);
  void say(std::string state, std::string words, bool warning = false);
  void say_once(std::string state, std::string words);

  net::Loop& loop_;
  net::TaskGroup& tasks_;
  llama::Server& server_;
  Vault& vault_;
  RouterSettings settings_;

  bool in_charge_ = false;
  bool autoload_ = true;
  bool closed_ = false;
  bool aside_ = false;
  slots::Roster roster_;
  slots::Ticket last_ticket_ = 0;
  std::map<std::string, std::unique_ptr<Model>> models_;  // by id
  std::map<std::string, std::string> ids_;                // by id and alias
  std::set<net::Signal*> waiting_;
  std::set<net::Signal*> listing_;

  base::TimePoint listed_at_{};
  std::string said_ready_;
  bool listed_ = false;  // GET /models was answered since the stream was last lost
  bool refreshing_ = false;
  bool once_more_ = false;
  bool following_ = false;
  bool follow_runs_ = false;
  bool guessed_ = false;         // the list does not tell which models are loaded
  std::set<std::string> heard_;  // events that came while a list was under way
  std::shared_ptr<net::UpstreamConnection> stream_;
  net::Signal pause_;
  std::set<std::string> said_;
};

}  // namespace slotswap::swap
