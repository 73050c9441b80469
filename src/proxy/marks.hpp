// What slotswap says of a managed request in the head of its answer (docs/clients.md).
#pragma once

#include "wrapped_incoming.hpp"

#include <slotswap/report/receipt.hpp>

namespace slotswap::proxy {

class MarkedAnswer : public WrappedIncoming {
 public:
  using WrappedIncoming::WrappedIncoming;

  /// The request is managed: no X-Slotswap- field but ours gets into the answer, and ours only
  /// where they are `shown`.
  void mark(report::Receipt const& receipt, bool shown);
  void unmark();

  using WrappedIncoming::respond;
  net::awaitable<bool> respond(http::ResponseHead head, std::string body) override;
  void begin(http::ResponseHead head, std::optional<std::uint64_t> content_length) override;

 private:
  void put_marks(http::ResponseHead& head) const;

  bool managed_ = false;
  http::Fields marks_;
};

}  // namespace slotswap::proxy
