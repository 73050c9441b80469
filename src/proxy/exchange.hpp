// One request from its head to its receipt. Lives in the frame of Proxy::handle.
#pragma once

#include "heartbeat.hpp"
#include "marks.hpp"
#include "relay.hpp"

#include <slotswap/http/path.hpp>
#include <slotswap/llama/paths.hpp>
#include <slotswap/prompt/prompt.hpp>
#include <slotswap/proxy/proxy.hpp>
#include <slotswap/report/receipt.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slotswap::proxy {

class Exchange {
 public:
  Exchange(Proxy& proxy, net::Incoming& incoming);
  ~Exchange();
  Exchange(Exchange const&) = delete;
  Exchange& operator=(Exchange const&) = delete;

  net::awaitable<void> run();

 private:
  net::awaitable<void> go();
  // The phases, in their order. False: the request has been answered.
  net::awaitable<bool> own_paths();
  net::awaitable<bool> read();
  net::awaitable<bool> route();
  net::awaitable<bool> key();
  net::awaitable<bool> lease();
  net::awaitable<bool> stand_in_line();
  net::awaitable<void> forward();
  net::awaitable<bool> lease_again(slots::Outcome outcome);
  net::awaitable<Relayed> send(Try which);
  std::unique_ptr<StuckWatch> watch_for_stuck() const;
  bool goes_elsewhere(Relayed const& relayed);
  net::awaitable<bool> lease_elsewhere(Relayed const& relayed);
  void settle(Relayed const& relayed);
  void log();

  net::awaitable<void> list_models();
  net::awaitable<void> answer(base::Fault fault);
  bool rewrite_model();
  void choose_session(std::optional<std::string> const& client);
  bool apply_policy();
  void run_beside();
  net::awaitable<void> explain_prompt();
  void note_server_trouble();
  Backend& backend() const { return proxy_.backends_[server_]; }
  config::Route const& config_route() const { return proxy_.config_.routes[route_]; }
  bool has_body() const;
  bool in_slot() const;
  void beat_while_waiting();
  swap::Need need() const;
  std::string client();
  bool pinned() const;
  bool name_slot();
  void hold_to_its_client();
  std::string served_model() const;  // as it is named to the server

  Proxy& proxy_;
  WaitingStream waiting_;
  MarkedAnswer incoming_;
  base::TimePoint began_;
  swap::Cancel cancel_;
  http::Target target_;
  llama::Work work_ = llama::Work::none;
  base::Result<std::optional<config::SideWork>> policy_;  // the client's own
  std::size_t route_ = 0;
  std::vector<std::size_t> servers_;  // of the route, but for those that could not be reached
  std::size_t server_ = 0;            // that runs it, or would as it seems
  std::shared_ptr<net::Body const> body_;
  prompt::RequestFacts facts_;
  swap::Visitor visitor_;
  std::optional<slots::PlaceInLine> place_;  // while it waits for its turn
  net::Watchdog patience_;
  swap::Admission admission_;
  bool was_stuck_ = false;
  bool detached_ = false;  // the server goes on with it when its client leaves
  report::Receipt receipt_;
};

}  // namespace slotswap::proxy
