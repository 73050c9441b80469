// A model of a router and a request's hold on it, for the files of swap::Router.
#pragma once

#include <slotswap/swap/router.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace slotswap::swap {

struct Router::Model {
  explicit Model(llama::Server server_) : server(std::move(server_)) {}
  llama::Server server;
  std::unique_ptr<Host> host;  // null: no request needed its slot yet
  std::optional<base::Duration> sleep;
  std::optional<base::Duration> stop;
  std::uint64_t endings = 0;  // how often its process was seen to end
};

/// While a request needs a model: it is no victim, and where it is being loaded its room is kept.
class Router::Use {
 public:
  Use(Router& router, std::string id) : router_(router), id_(std::move(id)) {}
  Use(Use const&) = delete;
  Use& operator=(Use const&) = delete;
  ~Use() {
    keep_room(false);
    if (counted_) router_.roster_.end(id_);
    if (counted_) router_.wake();
  }
  void begin() {
    if (!std::exchange(counted_, true)) router_.roster_.begin(id_);
  }
  void keep_room(bool keep) {
    if (std::exchange(keeps_room_, keep) == keep) return;
    if (keep) {
      router_.roster_.reserve(id_);
    } else {
      router_.roster_.release(id_);
    }
  }

 private:
  Router& router_;
  std::string id_;
  bool counted_ = false;
  bool keeps_room_ = false;
};

/// While a client's own unload is under way, and until the model is gone where the router took it.
class Router::Leaving {
 public:
  Leaving(Router& router, std::string id, std::unique_ptr<Turn> turn)
      : router_(router), id_(std::move(id)), turn_(std::move(turn)) {
    router_.roster_.leave(id_);
  }
  Leaving(Leaving const&) = delete;
  Leaving& operator=(Leaving const&) = delete;
  ~Leaving() {
    if (taken_) {
      router_.tasks_.spawn("unload", router_.finish_leaving(std::move(id_), std::move(turn_)));
    } else {
      router_.roster_.left(id_, false);
      router_.wake();
    }
  }
  void answered(int status) { taken_ = status >= 200 && status < 300; }

 private:
  bool taken_ = false;
  Router& router_;
  std::string id_;
  std::unique_ptr<Turn> turn_;
};

/// A place in the line of those that wait for room.
class Router::Place {
 public:
  explicit Place(Router& router) : router_(router), ticket_(++router.last_ticket_) {}
  Place(Place const&) = delete;
  Place& operator=(Place const&) = delete;
  ~Place() {
    router_.roster_.give_up(ticket_);
    router_.wake();
  }
  slots::Ticket ticket() const { return ticket_; }

 private:
  Router& router_;
  slots::Ticket ticket_;
};

}  // namespace slotswap::swap
