// TLS towards clients: who gets in, what is told to those who do not.
#include "relay/tls_stage.hpp"

#include <gtest/gtest.h>
#include <openssl/ssl.h>

namespace slotswap::test {
namespace {

constexpr Milliseconds patience{20'000};

void expect_rejected(telemetry::CapturedLog const& log, std::string_view reason) {
  EXPECT_TRUE(eventually([&] { return log.count("event=reject") == 1; }));
  auto const lines = log.matching("event=reject");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("code=tls_handshake"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find(reason), std::string::npos) << lines[0];
}

void expect_served(TlsClient& client) {
  EXPECT_TRUE(health(client).starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(client.said_end());
}

TEST(TlsFront, versions_before_1_2_are_refused) {
  TlsFront front;
  for (auto const version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsWishes wishes;
    wishes.version = version;
    auto client = front.client(wishes);
    ASSERT_TRUE(client.handshake());
    EXPECT_EQ(client.version(), version);
    expect_served(client);
  }
  EXPECT_EQ(front.log.count("event=reject"), 0U);
  TlsWishes wishes;
  wishes.version = TLS1_1_VERSION;
  auto old = front.client(wishes);
  EXPECT_FALSE(old.handshake());
  expect_rejected(front.log, "unsupported protocol");
}

TEST(TlsFront, alpn_chooses_http_1_1_and_nothing_else) {
  TlsFront front;
  TlsWishes wishes;
  auto without = front.client(wishes);
  ASSERT_TRUE(without.handshake());
  EXPECT_EQ(without.protocol(), "");
  wishes.protocols = "\x02h2\x08http/1.1";
  auto both = front.client(wishes);
  ASSERT_TRUE(both.handshake());
  EXPECT_EQ(both.protocol(), "http/1.1");
  expect_served(both);
  wishes.protocols = "\x02h2";
  auto other = front.client(wishes);
  EXPECT_FALSE(other.handshake());
  expect_rejected(front.log, "no application protocol");
}

TEST(TlsFront, with_client_ca_only_its_certificates_get_in) {
  Authority staff;
  Authority others;
  TlsFront front(", client_ca: " + staff.file());
  for (auto const version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsWishes wishes;
    wishes.version = version;
    wishes.certificate = staff.issue("DNS:alice", "alice");
    auto known = front.client(wishes);
    ASSERT_TRUE(known.handshake());
    expect_served(known);
  }
  EXPECT_EQ(front.log.count("event=reject"), 0U);
  auto none = front.client();
  EXPECT_TRUE(!none.handshake() || none.read_to_end().empty());
  expect_rejected(front.log, "peer did not return a certificate");
  front.log.clear();
  TlsWishes wishes;
  wishes.certificate = others.issue("DNS:mallory", "mallory");
  auto unknown = front.client(wishes);
  EXPECT_TRUE(!unknown.handshake() || unknown.read_to_end().empty());
  expect_rejected(front.log, "the certificate of CN=mallory is refused: ");
}

TEST(TlsFront, a_ticket_resumes_a_session_with_a_clients_certificate_too) {
  Authority staff;
  TlsFront front(", client_ca: " + staff.file());
  TlsWishes wishes;
  wishes.certificate = staff.issue("DNS:alice");
  auto first = front.client(wishes);
  ASSERT_TRUE(first.handshake());
  expect_served(first);
  wishes.session = first.session();
  auto second = front.client(wishes);
  ASSERT_TRUE(second.handshake());
  EXPECT_TRUE(second.resumed());
  expect_served(second);
  // Not across a reload, after which an authority may be missing.
  wishes.session = second.session();
  front.proxy.reload();
  auto third = front.client(wishes);
  ASSERT_TRUE(third.handshake());
  EXPECT_FALSE(third.resumed());
  expect_served(third);
}

TEST(TlsFront, a_plain_request_is_told_and_logged) {
  TlsFront front;
  RawClient client(front.proxy.port());
  client.send(get);
  auto const answer = read_answer(client);
  expect_problem(answer, 400, "https_needed");
  EXPECT_EQ(answer.header("connection"), "close");
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(front.log.count("code=https_needed"), 1U);
  EXPECT_EQ(front.log.count("event=reject"), 1U);
}

TEST(TlsFront, what_is_no_tls_at_all_ends_with_a_line) {
  TlsFront front;
  RawClient client(front.proxy.port());
  client.send("\x01\x02 nonsense, and more of it");
  client.read_to_end();
  expect_rejected(front.log, "wrong version number");
}

TEST(TlsFront, one_that_only_looks_whether_the_port_is_open_is_not_worth_a_line) {
  TlsFront front;
  RawClient(front.proxy.port()).close();
  {
    RawClient halfway(front.proxy.port());
    halfway.send("\x16\x03\x01");
  }
  expect_rejected(front.log, "it closed the connection in the handshake");
}

TEST(TlsFront, a_slow_handshake_ends_in_time_and_holds_nobody_up) {
  TlsFront front("", "limits: {header_read_seconds: 0.5}\n");
  RawClient slow(front.proxy.port());
  slow.send("\x16\x03\x01\x02");
  auto client = front.client();
  ASSERT_TRUE(client.handshake());
  expect_served(client);
  EXPECT_EQ(front.log.count("event=reject"), 0U);
  EXPECT_TRUE(slow.closed_within(patience));
  expect_rejected(front.log, "it took too long");
}

TEST(TlsFront, a_handshake_is_one_of_the_connections) {
  TlsFront front("", "limits: {connections: 1}\n");
  {
    RawClient slow(front.proxy.port());
    slow.send("\x16");
    RawClient late(front.proxy.port());
    EXPECT_EQ(late.read_to_end(), "");
    EXPECT_EQ(front.log.count("code=too_many_connections"), 1U);
  }
  EXPECT_TRUE(eventually([&] {
    auto client = front.client();
    return client.handshake() && health(client).starts_with("HTTP/1.1 200 OK\r\n");
  }));
}

TEST(TlsFront, the_end_does_not_wait_for_a_handshake) {
  TlsFront front;
  RawClient slow(front.proxy.port());
  slow.send("\x16");
  auto client = front.client();
  ASSERT_TRUE(client.handshake());
  // With TLS 1.3 only an answer tells that the server is through with it too.
  client.send("GET /slotswap/health HTTP/1.1\r\nHost: p\r\n\r\n");
  client.read_until("{\"status\":\"ok\"}");
  front.proxy.stop();
  EXPECT_TRUE(slow.closed_within(patience));
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_TRUE(client.said_end());
  EXPECT_EQ(front.log.count("event=reject"), 0U);
}

TEST(TlsFront, a_reload_is_for_new_connections_and_open_streams_go_on) {
  TlsFront front;
  auto client = front.client();
  ASSERT_TRUE(client.handshake());
  EXPECT_EQ(client.server_subject(), "/CN=first");
  auto server = front.ask(client);
  server.send(chunked_head() + chunk("one"));
  client.read_until("one\r\n");
  front.replace(front.authority.issue("IP:127.0.0.1", "second"));
  front.proxy.reload();
  EXPECT_EQ(front.log.count("event=reload for=clients"), 1U);
  auto late = front.client();
  ASSERT_TRUE(late.handshake());
  EXPECT_EQ(late.server_subject(), "/CN=second");
  expect_served(late);
  server.send(chunk("two") + std::string(end_of_chunks));
  EXPECT_EQ(client.read_until("0\r\n\r\n"), "3\r\ntwo\r\n0\r\n\r\n");
  client.send("GET /slotswap/health HTTP/1.1\r\nHost: p\r\n\r\n");
  EXPECT_TRUE(client.read_until("\r\n\r\n").starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST(TlsFront, a_bad_reload_is_one_error_and_the_old_certificate_stays) {
  TlsFront front;
  auto const second = front.authority.issue("IP:127.0.0.1", "second");
  std::filesystem::copy_file(second.file, front.own.file,
                             std::filesystem::copy_options::overwrite_existing);
  front.proxy.reload();
  auto const lines = front.log.matching("event=reload");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("level=error"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("does not belong to the certificate"), std::string::npos) << lines[0];
  auto client = front.client();
  ASSERT_TRUE(client.handshake());
  EXPECT_EQ(client.server_subject(), "/CN=first");
  expect_served(client);
}

}  // namespace
}  // namespace slotswap::test
