// Work that may hold a thread up (disk, large bodies), done on the pool, its result back on the
// loop.
#pragma once

#include <slotswap/net/loop.hpp>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace slotswap::net {

/// `work` owns what it reads and writes; it is not cancelled. An exception it throws comes out of
/// the co_await.
template <class Work>
awaitable<std::invoke_result_t<Work>> run_blocking(Loop& loop, Work work) {
  using Value = std::invoke_result_t<Work>;
  struct Outcome {
    std::optional<Value> value;
    std::exception_ptr error;
  };
  auto outcome = std::make_shared<Outcome>();
  auto shared_work = std::make_shared<Work>(std::move(work));
  auto initiate = [&loop, outcome, shared_work](auto handler) {
    auto executor = asio::get_associated_executor(handler);
    auto run = [outcome, shared_work, guard = asio::make_work_guard(executor),
                handler = std::move(handler)]() mutable {
      try {
        outcome->value.emplace((*shared_work)());
      } catch (...) {
        outcome->error = std::current_exception();
      }
      auto back = guard.get_executor();
      asio::post(back, std::move(handler));
    };
    asio::post(loop.pool(), std::move(run));
  };
  co_await asio::async_initiate<asio::use_awaitable_t<> const, void()>(std::move(initiate),
                                                                       asio::use_awaitable);
  if (outcome->error) std::rethrow_exception(outcome->error);
  co_return std::move(*outcome->value);
}

}  // namespace slotswap::net
