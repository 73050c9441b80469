// A client's request as the next one sees it through this one: everything passes, but for what a
// derived class does otherwise. Loop thread.
#pragma once

#include <slotswap/net/incoming.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slotswap::proxy {

class WrappedIncoming : public net::Incoming {
 public:
  explicit WrappedIncoming(net::Incoming& inner) : inner_(inner) {}

  http::RequestHead& head() override { return inner_.head(); }
  std::string const& peer() const override { return inner_.peer(); }
  net::awaitable<base::Result<std::shared_ptr<net::Body const>>> read_body(
      std::uint64_t limit, std::shared_ptr<net::Budget> budget) override {
    return inner_.read_body(limit, std::move(budget));
  }
  bool gone() const override { return inner_.gone(); }
  void on_gone(std::function<void()> left) override { inner_.on_gone(std::move(left)); }
  net::awaitable<bool> respond(http::ResponseHead head, std::string body) override {
    return inner_.respond(std::move(head), std::move(body));
  }
  net::awaitable<bool> respond(http::Problem problem) override {
    return respond(http::problem_head(problem), http::problem_body(problem));
  }
  void begin(http::ResponseHead head, std::optional<std::uint64_t> content_length) override {
    inner_.begin(std::move(head), content_length);
  }
  void append(std::vector<std::string_view> const& pieces) override { inner_.append(pieces); }
  net::awaitable<bool> flush() override { return inner_.flush(); }
  net::awaitable<bool> finish() override { return inner_.finish(); }
  void abort() override { inner_.abort(); }
  bool begun() const override { return inner_.begun(); }

 protected:
  net::Incoming& inner_;
};

}  // namespace slotswap::proxy
