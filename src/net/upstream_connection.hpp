// The one implementation of UpstreamConnection, and where it goes back to. Loop thread.
#pragma once

#include "resolver.hpp"
#include "stream.hpp"

#include <slotswap/http/parser.hpp>
#include <slotswap/net/upstream.hpp>

#include <memory>
#include <optional>
#include <string>

namespace slotswap::net {

class TcpUpstreamConnection;

/// What the connections to one server share; the pool of idle ones among it.
struct UpstreamShared {
  UpstreamShared(Loop& loop_, UpstreamSettings settings_)
      : loop(loop_),
        settings(std::move(settings_)),
        resolver(loop_, settings.host, settings.port) {}
  Loop& loop;
  UpstreamSettings settings;
  Resolver resolver;
  tls::Context certificates;                                 // none: plain HTTP
  std::vector<std::shared_ptr<TcpUpstreamConnection>> idle;  // last used last
  bool closed = false;
};

class TcpUpstreamConnection : public UpstreamConnection,
                              public std::enable_shared_from_this<TcpUpstreamConnection> {
 public:
  explicit TcpUpstreamConnection(std::shared_ptr<UpstreamShared> shared);

  awaitable<base::Result<void>> connect() override;
  bool reused() const override { return served_ > 0; }
  void send(std::string head, std::shared_ptr<Body const> body) override;
  bool written() const override { return !writing_ && !write_failed_; }
  awaitable<base::Result<void>> read_head(bool to_head_request, Duration wait) override;
  http::ResponseHead& response() override { return parser_->head(); }
  std::optional<std::uint64_t> content_length() const override { return parser_->content_length(); }
  awaitable<base::Result<bool>> read_body(std::vector<std::string_view>& pieces,
                                          Duration wait) override;
  bool buffered() const override { return in_.size() > consumed_ || parser_->done(); }
  void close() override;

  /// Takes it out of the pool's rest: false when it is no longer good.
  bool wake();

 private:
  enum class Ended { no, closed, late };

  awaitable<base::Result<void>> open(Endpoint endpoint);
  awaitable<error_code> connect_to(Endpoint const& endpoint);
  awaitable<error_code> connect_to_path();
  awaitable<void> write_rest(std::string head, std::shared_ptr<Body const> body,
                             std::size_t written);
  awaitable<base::Result<bool>> fill();
  base::Fault ended_fault(std::string const& what) const;
  base::Fault broken(std::string const& why) const;
  bool was_stream();
  void settle();

  std::shared_ptr<UpstreamShared> shared_;
  std::optional<Socket> connecting_;
  std::optional<Stream> stream_;
  std::optional<http::ResponseParser> parser_;
  std::string in_;            // read but not parsed
  std::size_t consumed_ = 0;  // of in_: dropped before the next parse, as pieces may point into it
  unsigned served_ = 0;
  bool writing_ = false;
  bool write_failed_ = false;
  Ended ended_ = Ended::no;
  Watchdog watchdog_;
};

}  // namespace slotswap::net
