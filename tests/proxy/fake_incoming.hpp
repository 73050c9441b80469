// A client's request that nobody sent: what its handler answers is kept.
#pragma once

#include <slotswap/net/incoming.hpp>

#include <optional>
#include <string>
#include <vector>

namespace slotswap::test {

class FakeIncoming : public net::Incoming {
 public:
  http::RequestHead& head() override { return request; }
  std::string const& peer() const override { return peer_; }
  net::awaitable<base::Result<std::shared_ptr<net::Body const>>> read_body(
      std::uint64_t, std::shared_ptr<net::Budget>) override {
    co_return std::make_shared<net::Body const>();
  }
  bool gone() const override { return false; }
  void on_gone(std::function<void()>) override {}
  net::awaitable<bool> respond(http::ResponseHead given, std::string text) override {
    answer = std::move(given);
    body = std::move(text);
    co_return true;
  }
  net::awaitable<bool> respond(http::Problem problem) override {
    return respond(http::problem_head(problem), http::problem_body(problem));
  }
  void begin(http::ResponseHead given, std::optional<std::uint64_t>) override {
    answer = std::move(given);
  }
  void append(std::vector<std::string_view> const& pieces) override {
    for (auto const piece : pieces) body += piece;
  }
  net::awaitable<bool> flush() override { co_return true; }
  net::awaitable<bool> finish() override {
    finished = true;
    co_return true;
  }
  void abort() override { aborted = true; }
  bool begun() const override { return answer.has_value(); }

  http::RequestHead request;
  std::optional<http::ResponseHead> answer;
  std::string body;
  bool finished = false;
  bool aborted = false;

 private:
  std::string peer_ = "127.0.0.1:1";
};

}  // namespace slotswap::test
