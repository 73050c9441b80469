#include "certificates.hpp"
#include "upstream_connection.hpp"

#include <slotswap/base/text.hpp>
#include <slotswap/net/upstream.hpp>

#include <utility>

namespace slotswap::net {

namespace {

constexpr std::size_t call_limit = 64 * 1024 * 1024;

std::string authority_of(UpstreamSettings const& settings) {
  if (!settings.path.empty()) return "localhost";
  auto const standard = settings.tls ? 443 : 80;
  auto whole = base::host_and_port(settings.host, settings.port);
  return settings.port == standard ? whole.substr(0, whole.rfind(':')) : whole;
}

}  // namespace

class UpstreamPool : public Upstream {
 public:
  explicit UpstreamPool(std::shared_ptr<UpstreamShared> shared)
      : shared_(std::move(shared)), authority_(authority_of(shared_->settings)) {}

  ~UpstreamPool() override {
    shared_->closed = true;
    auto const idle = std::exchange(shared_->idle, {});
    for (auto const& connection : idle) connection->close();
  }

  std::shared_ptr<UpstreamConnection> take(bool fresh) override {
    while (!fresh && !shared_->idle.empty()) {
      auto connection = std::move(shared_->idle.back());
      shared_->idle.pop_back();
      if (connection->wake()) return connection;
      connection->close();
    }
    return std::make_shared<TcpUpstreamConnection>(shared_);
  }

  awaitable<base::Result<WholeResponse>> call(http::RequestHead head, std::string body,
                                              Duration timeout, Use use) override {
    head.fields.set("Host", authority_);
    if (!body.empty() || head.method == "POST")
      head.fields.set("Content-Length", std::to_string(body.size()));
    auto const text = http::serialize(head);
    auto const held = std::make_shared<Body const>(std::move(body));
    auto const to_head = head.method == "HEAD";
    auto answer = co_await attempt(take(use == Use::fresh), text, held, to_head, timeout);
    auto const again =
        use == Use::kept && answer.has_error() && answer.error().retry == base::Retry::reused_only;
    if (again) {
      answer = co_await attempt(take(true), text, held, to_head, timeout);
    }
    co_return answer;
  }

  std::string const& authority() const override { return authority_; }

  bool secure() const override { return shared_->settings.tls.has_value(); }

  base::Result<void> renew() override {
    if (!secure()) return {};
    return load_certificates(*shared_->settings.tls, shared_->certificates);
  }

 private:
  awaitable<base::Result<WholeResponse>> attempt(std::shared_ptr<UpstreamConnection> connection,
                                                 std::string text, std::shared_ptr<Body const> body,
                                                 bool to_head, Duration timeout) {
    bool late = false;
    Watchdog watchdog(shared_->loop, [&late, weak = std::weak_ptr<UpstreamConnection>(connection)] {
      late = true;
      if (auto const held = weak.lock()) held->close();
    });
    watchdog.expires_in(timeout);
    auto answer = co_await exchange(*connection, std::move(text), std::move(body), to_head);
    if (answer.has_error()) connection->close();
    if (answer.has_error() && late) {
      co_return base::Fault(base::Side::server, "upstream_timeout",
                            "the server did not answer in time");
    }
    co_return answer;
  }

  awaitable<base::Result<WholeResponse>> exchange(UpstreamConnection& connection, std::string text,
                                                  std::shared_ptr<Body const> body, bool to_head) {
    auto const connected = co_await connection.connect();
    if (connected.has_error()) co_return connected.error();
    connection.send(std::move(text), std::move(body));
    auto const headed = co_await connection.read_head(to_head, Duration::zero());
    if (headed.has_error()) co_return headed.error();
    WholeResponse answer;
    answer.head = connection.response();
    std::vector<std::string_view> pieces;
    for (;;) {
      auto const more = co_await connection.read_body(pieces, Duration::zero());
      if (more.has_error()) co_return more.error();
      if (!*more) break;
      for (auto const piece : pieces) answer.body += piece;
      if (answer.body.size() > call_limit) {
        co_return base::Fault(base::Side::server, "bad_upstream_response",
                              "the answer is too large");
      }
    }
    co_return answer;
  }

  std::shared_ptr<UpstreamShared> shared_;
  std::string authority_;
};

base::Result<std::unique_ptr<Upstream>> make_upstream(Loop& loop, UpstreamSettings settings) {
  auto upstream =
      std::make_unique<UpstreamPool>(std::make_shared<UpstreamShared>(loop, std::move(settings)));
  auto const loaded = upstream->renew();
  if (loaded.has_error()) return loaded.error();
  return std::unique_ptr<Upstream>(std::move(upstream));
}

}  // namespace slotswap::net
