// A client's connection: its requests one after the other, and the eye kept on it while one is
// being answered. Held by shared_ptr through its own coroutine and the listener. Loop thread.
#pragma once

#include "stream.hpp"

#include <slotswap/http/parser.hpp>
#include <slotswap/net/incoming.hpp>
#include <slotswap/net/listener.hpp>
#include <slotswap/net/loop.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace slotswap::net {

/// What all connections of a listener share; lives as long as the last of them.
struct Service {
  Service(ListenerSettings settings_, Handler handler_)
      : settings(std::move(settings_)), handler(std::move(handler_)) {}
  ListenerSettings settings;
  Handler handler;
};

class Connection : public Incoming, public std::enable_shared_from_this<Connection> {
 public:
  /// `peer`: its name in logs.
  Connection(Loop& loop, Stream stream, std::string peer, std::shared_ptr<Service const> service);

  /// Serves until one side closes.
  awaitable<void> run();
  /// A connection beyond the limit: one answer, then the end.
  awaitable<void> turn_away(http::Problem problem);
  /// A request has come whose answer has not ended.
  bool answering() const { return phase_ == Phase::exchange && !finished_; }
  /// The answer under way is the last one; an idle connection closes now.
  void finish_soon();
  /// Ends it now, an answer in the middle of it.
  void cut();
  void close();

  http::RequestHead& head() override { return parser_->head(); }
  std::string const& peer() const override { return peer_; }
  awaitable<base::Result<std::shared_ptr<Body const>>> read_body(
      std::uint64_t limit, std::shared_ptr<Budget> budget) override;
  bool gone() const override { return gone_; }
  void on_gone(std::function<void()> left) override { left_ = std::move(left); }
  awaitable<bool> respond(http::ResponseHead head, std::string body) override;
  awaitable<bool> respond(http::Problem problem) override;
  void begin(http::ResponseHead head, std::optional<std::uint64_t> content_length) override;
  void append(std::vector<std::string_view> const& pieces) override;
  awaitable<bool> flush() override;
  awaitable<bool> finish() override;
  void abort() override;
  bool begun() const override { return begun_; }

 private:
  enum class Framing { none, length, chunked, until_close };
  enum class Phase { handshake, idle, head, exchange, closing };

  void watch();
  void readable(error_code ec);
  void take(error_code ec, std::size_t size);
  void expired();
  void give_up_writing();
  void await_body(TimePoint until);
  base::Fault late_or_gone() const;
  void forget_request();
  awaitable<bool> shake_hands();
  awaitable<base::Result<bool>> read_head();
  awaitable<void> serve();
  awaitable<bool> say_end();
  awaitable<void> linger();
  void frame(http::ResponseHead& head, std::optional<std::uint64_t> content_length);
  awaitable<base::Result<void>> expect_continue();

  Loop& loop_;
  Stream stream_;
  std::shared_ptr<Service const> service_;
  std::string peer_;

  // What came from the client and was not parsed yet; a wait for more is pending whenever there is
  // room.
  std::string in_;
  Signal more_;
  bool reading_ = false;
  bool watching_errors_ = false;
  bool gone_ = false;
  bool expired_ = false;
  bool writing_ = false;  // waits for the client to make room
  std::function<void()> left_;
  Watchdog watchdog_;

  std::optional<http::RequestParser> parser_;
  Phase phase_ = Phase::idle;
  bool keep_alive_ = true;
  bool last_ = false;

  std::string out_;
  bool begun_ = false;
  bool finished_ = false;
  bool no_body_ = false;
  Framing framing_ = Framing::none;
};

}  // namespace slotswap::net
