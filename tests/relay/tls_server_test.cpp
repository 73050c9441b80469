// A server behind https: the name that is asked for and checked, our own certificate, and where its
// answers end.
#include "relay/stage.hpp"
#include "relay/tls_peer.hpp"

#include <slotswap/config/config.hpp>

#include <gtest/gtest.h>

#include <filesystem>

namespace slotswap::test {
namespace {

class HttpsStage {
 public:
  explicit HttpsStage(std::string const& server, std::string const& host = "127.0.0.1")
      : proxy(config_for("https://" + host + ":" + std::to_string(upstream.port()), server)),
        client(proxy.port()) {}

  // The proxy's connection, with the client's request on it.
  TlsPeer meet(Certificate const& certificate) {
    client.send(get);
    return TlsPeer(upstream.accept(), certificate);
  }
  void serve(TlsPeer& peer, std::string_view answer) {
    peer.read_until("\r\n\r\n");
    peer.send(answer);
  }

  ScriptedUpstream upstream;
  telemetry::CapturedLog log;
  RunningProxy proxy;
  RawClient client;
};

TEST(RelayHttps, the_urls_host_is_told_and_an_address_is_not) {
  Authority authority;
  struct Row {
    std::string host;
    std::string certificate;
    std::string keys;
    std::string told;
  };
  for (auto const& row :
       {Row{"localhost", "DNS:localhost", "", "localhost"},
        Row{"127.0.0.1", "IP:127.0.0.1", "", ""},
        Row{"127.0.0.1", "DNS:llama.example", ", server_name: llama.example", "llama.example"},
        Row{"localhost", "IP:10.1.2.3", ", server_name: 10.1.2.3", ""}}) {
    HttpsStage stage("ca_file: " + authority.file() + row.keys, row.host);
    auto peer = stage.meet(authority.issue(row.certificate));
    ASSERT_TRUE(peer.handshake()) << row.host << row.keys;
    EXPECT_EQ(peer.server_name(), row.told);
    stage.serve(peer, make_answer("ok"));
    EXPECT_EQ(read_answer(stage.client).body, "ok");
  }
}

TEST(RelayHttps, a_refused_certificate_is_named_with_the_reason) {
  Authority authority;
  Authority other;
  struct Row {
    Certificate certificate;
    std::string reason;
  };
  for (auto const& row : {Row{authority.issue("IP:127.0.0.1", "llama"),
                              "the certificate of CN=llama is not for llama.example"},
                          Row{other.issue("DNS:llama.example", "llama"),
                              "the certificate of CN=llama is refused: "}}) {
    HttpsStage stage("ca_file: " + authority.file() + ", server_name: llama.example");
    auto peer = stage.meet(row.certificate);
    EXPECT_FALSE(peer.handshake() && !peer.ended());
    auto const answer = read_answer(stage.client);
    expect_problem(answer, 502, "upstream_unreachable");
    EXPECT_NE(answer.body.find(row.reason), std::string::npos) << answer.body;
  }
}

TEST(RelayHttps, without_an_authority_of_its_own_the_system_must_know_the_server) {
  Authority authority;
  HttpsStage stage("connect_seconds: 5");
  auto peer = stage.meet(authority.issue("IP:127.0.0.1"));
  EXPECT_FALSE(peer.handshake() && !peer.ended());
  expect_problem(read_answer(stage.client), 502, "upstream_unreachable");
}

TEST(RelayHttps, verify_false_takes_any_certificate) {
  Authority authority;
  HttpsStage stage("verify: false");
  auto peer = stage.meet(authority.issue("DNS:elsewhere.example"));
  ASSERT_TRUE(peer.handshake());
  stage.serve(peer, make_answer("ok"));
  EXPECT_EQ(read_answer(stage.client).body, "ok");
}

TEST(RelayHttps, our_certificate_is_shown_and_renewed_by_a_reload) {
  Authority authority;
  Authority staff;
  auto const own = staff.issue("DNS:proxy", "proxy");
  auto const certificate = authority.issue("IP:127.0.0.1");
  HttpsStage stage("ca_file: " + authority.file() + ", client_cert: " + own.file +
                   ", client_key: " + own.key_file);
  for (auto const* const subject : {"/CN=proxy", "/CN=renewed"}) {
    auto peer = stage.meet(certificate);
    peer.demand(staff);
    ASSERT_TRUE(peer.handshake());
    EXPECT_EQ(peer.client_subject(), subject);
    stage.serve(peer, make_answer("ok", {{"Connection", "close"}}));
    EXPECT_EQ(read_answer(stage.client).body, "ok");
    auto const renewed = staff.issue("DNS:proxy", "renewed");
    auto const over = std::filesystem::copy_options::overwrite_existing;
    std::filesystem::copy_file(renewed.file, own.file, over);
    std::filesystem::copy_file(renewed.key_file, own.key_file, over);
    stage.proxy.reload();
  }
  EXPECT_EQ(stage.log.count("event=reload server=main"), 2U);
}

TEST(RelayHttps, a_server_that_demands_a_certificate_and_gets_none_is_a_fault_with_a_reason) {
  Authority authority;
  Authority staff;
  HttpsStage stage("ca_file: " + authority.file());
  auto peer = stage.meet(authority.issue("IP:127.0.0.1"));
  peer.demand(staff);
  EXPECT_FALSE(peer.handshake());
  auto const answer = read_answer(stage.client);
  // With TLS 1.3 it is told only after our handshake.
  EXPECT_EQ(answer.status, 502);
  EXPECT_NE(answer.body.find("certificate required"), std::string::npos) << answer.body;
}

TEST(RelayHttps, p05_12_where_an_answer_ends_with_and_without_close_notify) {
  Authority authority;
  auto const certificate = authority.issue("IP:127.0.0.1");
  struct Row {
    std::string answer;
    bool polite;
    bool complete;
  };
  auto const length = make_answer("whole");
  auto const half_length = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nwhole";
  auto const chunks = chunked_head() + chunk("whole") + std::string(end_of_chunks);
  auto const half_chunks = chunked_head() + chunk("whole");
  auto const until_close = std::string("HTTP/1.1 200 OK\r\n\r\nwhole");
  for (auto const& row :
       {Row{length, true, true}, Row{length, false, true}, Row{chunks, true, true},
        Row{chunks, false, true}, Row{half_length, true, false}, Row{half_length, false, false},
        Row{half_chunks, true, false}, Row{half_chunks, false, false}, Row{until_close, true, true},
        Row{until_close, false, false}}) {
    HttpsStage stage("ca_file: " + authority.file());
    auto peer = stage.meet(certificate);
    ASSERT_TRUE(peer.handshake());
    stage.serve(peer, row.answer);
    if (row.polite) {
      peer.close();
    } else {
      peer.cut();
    }
    auto const answer = read_answer(stage.client);
    EXPECT_EQ(answer.body, "whole") << row.answer;
    EXPECT_EQ(answer.complete, row.complete) << row.polite << row.answer;
  }
}

TEST(RelayHttps, p05_08_an_early_answer_is_not_lost_though_the_request_cannot_be_written) {
  Authority authority;
  HttpsStage stage("ca_file: " + authority.file());
  stage.client.send("POST /v1/x HTTP/1.1\r\nHost: p\r\nContent-Length: 8388608\r\n\r\n" +
                    std::string(8 * 1024 * 1024, 'x'));
  TlsPeer peer(stage.upstream.accept(), authority.issue("IP:127.0.0.1"));
  ASSERT_TRUE(peer.handshake());
  peer.read_until("\r\n\r\n");
  peer.send("HTTP/1.1 413 No\r\nContent-Length: 4\r\nConnection: close\r\n\r\nmuch");
  auto const answer = read_answer(stage.client);
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(answer.body, "much");
}

TEST(RelayHttps, verify_false_is_warned_of_each_time) {
  auto const loaded = config::load_text(config_for("https://h", "verify: false"), "t.yaml");
  ASSERT_EQ(loaded.errors.size(), 0U);
  ASSERT_EQ(loaded.warnings.size(), 1U);
  EXPECT_NE(loaded.warnings[0].message.find("is not looked at"), std::string::npos);
}

}  // namespace
}  // namespace slotswap::test
