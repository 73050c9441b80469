// A server behind https: its certificate must be from the configured authority, and for its name.
#include "relay/stage.hpp"
#include "relay/tls_peer.hpp"
#include "support/certificates.hpp"

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

class TlsStage {
 public:
  explicit TlsStage(Authority const& trusted, std::string const& host = "127.0.0.1")
      : proxy(config_for("https://" + host + ":" + std::to_string(upstream.port()),
                         "ca_file: '" + trusted.file() + "'")) {}

  // The proxy gives up: a 502, and the reason as a warning in the log.
  void expect_refused(Certificate const& certificate, std::string_view reason) {
    RawClient client(proxy.port());
    client.send(get);
    TlsPeer peer(upstream.accept(), certificate);
    EXPECT_FALSE(peer.handshake() && !peer.ended());
    expect_problem(read_answer(client), 502, "upstream_unreachable");
    EXPECT_TRUE(eventually([&] { return log.count("state=upstream_unreachable") == 1; }));
    auto const lines = log.matching("state=upstream_unreachable");
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_NE(lines[0].find("level=warning"), std::string::npos) << lines[0];
    EXPECT_NE(lines[0].find(reason), std::string::npos) << lines[0];
  }

  ScriptedUpstream upstream;
  telemetry::CapturedLog log;
  RunningProxy proxy;
};

TEST(RelayTls, a_certificate_of_the_configured_authority_is_trusted_and_the_connection_kept) {
  Authority authority;
  auto const certificate = authority.issue("IP:127.0.0.1");
  TlsStage stage(authority);
  RawClient client(stage.proxy.port());
  client.send(make_request("POST", "/v1/x", {}, "hello"));
  TlsPeer peer(stage.upstream.accept(), certificate);
  ASSERT_TRUE(peer.handshake());
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(peer.read_until("\r\n\r\n").starts_with("POST /v1/x HTTP/1.1\r\n"));
    EXPECT_EQ(peer.read_exact(5), "hello");
    peer.send(chunked_head() + chunk("one"));
    auto answer = read_head(client);
    EXPECT_EQ(client.read_until("one\r\n"), "3\r\none\r\n");
    peer.send(chunk("two") + std::string(end_of_chunks));
    read_body(client, answer);
    EXPECT_EQ(answer.body, "two");
    EXPECT_TRUE(answer.complete);
    if (i < 2) client.send(make_request("POST", "/v1/x", {}, "hello"));
  }
  EXPECT_FALSE(stage.upstream.called());
}

TEST(RelayTls, a_name_is_checked_and_long_bodies_pass) {
  Authority authority;
  auto const certificate = authority.issue("DNS:localhost");
  TlsStage stage(authority, "localhost");
  RawClient client(stage.proxy.port());
  std::string const body(8 * 1024 * 1024, 'x');
  client.send(make_request("POST", "/v1/x", {}, body));
  TlsPeer peer(stage.upstream.accept(), certificate);
  ASSERT_TRUE(peer.handshake());
  peer.read_until("\r\n\r\n");
  EXPECT_TRUE(peer.read_exact(body.size()) == body);
  peer.send(make_answer(std::string(100'000, 'y')));
  EXPECT_EQ(read_answer(client).body, std::string(100'000, 'y'));
}

TEST(RelayTls, a_certificate_of_another_authority_is_refused) {
  Authority trusted;
  Authority other;
  TlsStage stage(trusted);
  stage.expect_refused(other.issue("IP:127.0.0.1"), "certificate");
}

TEST(RelayTls, a_certificate_for_another_name_is_refused) {
  Authority authority;
  TlsStage stage(authority);
  stage.expect_refused(authority.issue("DNS:elsewhere.example"), "127.0.0.1");
}

TEST(RelayTls, a_server_that_speaks_no_tls_is_refused) {
  Authority authority;
  TlsStage stage(authority);
  RawClient client(stage.proxy.port());
  client.send(get);
  auto server = stage.upstream.accept();
  server.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
  expect_problem(read_answer(client), 502, "upstream_unreachable");
}

TEST(RelayTls, p05_09_a_client_that_leaves_while_the_server_is_silent) {
  Authority authority;
  auto const certificate = authority.issue("IP:127.0.0.1");
  TlsStage stage(authority);
  RawClient client(stage.proxy.port());
  client.send(get);
  TlsPeer peer(stage.upstream.accept(), certificate);
  ASSERT_TRUE(peer.handshake());
  peer.read_until("\r\n\r\n");
  client.close();
  EXPECT_TRUE(peer.ended());
}

TEST(RelayTls, p05_10_a_polite_close_of_a_kept_connection_is_not_taken_for_an_answer) {
  Authority authority;
  auto const certificate = authority.issue("IP:127.0.0.1");
  TlsStage stage(authority);
  RawClient client(stage.proxy.port());
  for (int i = 0; i < 2; ++i) {
    client.send(get);
    TlsPeer peer(stage.upstream.accept(), certificate);
    ASSERT_TRUE(peer.handshake());
    peer.read_until("\r\n\r\n");
    peer.send(make_answer("ok"));
    EXPECT_EQ(read_answer(client).body, "ok");
    peer.close();
  }
}

TEST(RelayTls, p05_12_an_end_without_close_notify_is_no_end_of_an_answer) {
  Authority authority;
  auto const certificate = authority.issue("IP:127.0.0.1");
  TlsStage stage(authority);
  RawClient client(stage.proxy.port());
  client.send(get);
  {
    TlsPeer peer(stage.upstream.accept(), certificate);
    ASSERT_TRUE(peer.handshake());
    peer.read_until("\r\n\r\n");
    peer.send("HTTP/1.1 200 OK\r\n\r\nhalf");
  }
  auto const answer = read_answer(client);
  EXPECT_EQ(answer.body, "half");
  EXPECT_FALSE(answer.complete);
}

}  // namespace
}  // namespace slotswap::test
