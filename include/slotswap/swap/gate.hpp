// The way into one server: to the slot of a single llama-server, or to those of a router's models.
// Which of the two it is it says itself, and that may change with its process. Loop thread.
#pragma once

#include <slotswap/swap/host.hpp>
#include <slotswap/swap/router.hpp>

#include <optional>
#include <string>

namespace slotswap::swap {

class Gate {
 public:
  Gate(net::Loop& loop, net::TaskGroup& tasks, llama::Server& server, Vault& vault,
       RouterSettings settings);

  /// Before a request is forwarded, whatever it is. Faults: client_gone, shutting_down; everything
  /// else is only slower.
  net::awaitable<base::Result<Admission>> admit(Visitor visitor, Cancel& cancel);

  // For a line in front of several servers.
  /// As Host::meet.
  net::awaitable<std::optional<base::Fault>> meet();
  bool is_a_router() const { return router_.in_charge(); }
  /// The single server whose slots are swapped; null: it is none.
  Host* single() { return !router_.in_charge() && single_.swappable() ? &single_ : nullptr; }
  /// As those of Host, of every model.
  void set_aside(bool aside);
  void moved_away(std::string const& id);

  /// Looks whether slots still hold what the last run of slotswap noted; never wakes a model.
  net::awaitable<void> resume();
  /// As Host::forget, of every model.
  net::awaitable<base::Result<bool>> forget(std::string id);
  /// A request failed or broke; `model` as it was named.
  void lost(std::string const& model);
  void close();
  net::awaitable<void> drain();

  /// Whose slot a request for this model gets: its id on a router, empty on a single server, which
  /// has one.
  std::string slot_of(std::string const& model) const;

  Vault const& vault() const { return single_.vault(); }
  /// Of a single server; of a router's model; null where that was not used yet.
  Host const* host(std::string const& model = {}) const;

 private:
  net::awaitable<bool> is_router();

  llama::Server& server_;
  std::string name_;
  Host single_;
  Router router_;
  bool asked_ = false;  // /props, since something was last lost
};

}  // namespace slotswap::swap
