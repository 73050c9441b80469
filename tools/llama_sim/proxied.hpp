// A client's request on its way through a simulated router to a child. The child answers into it,
// the router passes on what is there: when the child is killed, the request is cut from it and the
// client gets the router's own words. Shared by both. Loop thread.
#pragma once

#include <slotswap/net/incoming.hpp>
#include <slotswap/net/loop.hpp>

#include <memory>
#include <optional>
#include <string>

namespace slotswap::llama_sim {

class Proxied : public net::Incoming {
 public:
  Proxied(net::Loop& loop, net::Incoming& client);

  http::RequestHead& head() override { return head_; }
  std::string const& peer() const override { return peer_; }
  net::awaitable<base::Result<std::shared_ptr<net::Body const>>> read_body(
      std::uint64_t limit, std::shared_ptr<net::Budget> budget) override;
  bool gone() const override { return client_ == nullptr || client_->gone(); }
  void on_gone(std::function<void()>) override {}  // no child asks
  net::awaitable<bool> respond(http::ResponseHead head, std::string body) override;
  net::awaitable<bool> respond(http::Problem problem) override;
  void begin(http::ResponseHead head, std::optional<std::uint64_t> content_length) override;
  void append(std::vector<std::string_view> const& pieces) override;
  net::awaitable<bool> flush() override;
  net::awaitable<bool> finish() override;
  /// The child hung up.
  void abort() override;
  bool begun() const override { return begun_; }

  /// The child died, or will never answer.
  void cut();
  /// The child's handler has returned.
  void returned();
  /// Passes on to the client until the end, however it comes; the child may have come to it
  /// already.
  net::awaitable<void> pass_on(net::Incoming& client);

 private:
  net::Incoming* client_;  // none: cut
  http::RequestHead head_;
  std::string peer_;
  std::optional<http::ResponseHead> answer_;  // not passed on yet
  std::string waiting_;
  bool begun_ = false;
  bool passed_head_ = false;
  bool finished_ = false;
  bool broken_ = false;
  bool returned_ = false;
  net::Signal changed_;
  net::Signal drained_;
};

/// A router's own answer where it got none from a child: a text that claims to be JSON.
net::awaitable<void> answer_broken(net::Incoming& client, std::string text);

}  // namespace slotswap::llama_sim
