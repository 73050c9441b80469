// Keeps a streaming client's connection from looking dead while its request waits: its 200 and
// signs of life go out before it is known what the answer is (docs/clients.md). An answer that then
// is no event stream becomes the stream's error event. Loop thread.
#pragma once

#include "wrapped_incoming.hpp"

#include <slotswap/llama/stream.hpp>
#include <slotswap/net/loop.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slotswap::proxy {

class WaitingStream : public WrappedIncoming {
 public:
  WaitingStream(net::Loop& loop, net::Incoming& inner);

  /// The client gets a sign of life after each `period` of a wait.
  void beat(llama::Dialect dialect, base::Duration period);
  /// How many it got.
  std::uint64_t beats() const { return beats_; }

  /// The wait itself. Nothing more is written on our own when it returns.
  template <class T>
  net::awaitable<T> during(net::awaitable<T> wait) {
    if (!dialect_) co_return co_await std::move(wait);
    start();
    std::exception_ptr error;
    std::optional<T> result;
    try {
      result.emplace(co_await std::move(wait));
    } catch (...) {
      error = std::current_exception();
    }
    co_await stop();
    if (error) std::rethrow_exception(error);
    co_return std::move(*result);
  }

  using WrappedIncoming::respond;
  net::awaitable<bool> respond(http::ResponseHead head, std::string body) override;
  void begin(http::ResponseHead head, std::optional<std::uint64_t> content_length) override;
  void append(std::vector<std::string_view> const& pieces) override;
  net::awaitable<bool> finish() override;
  /// Of the answer; its head may be out before.
  bool begun() const override { return begun_; }

 private:
  void start();
  net::awaitable<void> stop();
  net::awaitable<void> write_beats();
  void begin_stream();

  net::Loop& loop_;
  net::TaskGroup tasks_;
  net::Signal stopped_;
  bool waiting_ = false;
  std::optional<llama::Dialect> dialect_;  // none: no heartbeats
  base::Duration period_{};
  std::uint64_t beats_ = 0;
  bool begun_ = false;
  // Of an answer that is no event stream, behind heartbeats.
  std::optional<int> status_;
  std::string body_;
};

}  // namespace slotswap::proxy
