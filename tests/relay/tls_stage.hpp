// A proxy that speaks TLS to its clients, with one scripted server behind it.
#pragma once

#include "relay/stage.hpp"
#include "relay/tls_client.hpp"
#include "support/certificates.hpp"

#include <filesystem>
#include <string>

namespace slotswap::test {

class TlsFront {
 public:
  // `tls`: more keys of `tls`, as in ", client_ca: FILE"; `top`: more keys of the top level.
  explicit TlsFront(std::string const& tls = "", std::string const& top = "")
      : own(authority.issue("IP:127.0.0.1", "first")), proxy(config(tls, top)) {}

  std::string config(std::string const& tls, std::string const& top) const {
    auto text = config_for(upstream.url(), "", top);
    std::string const plain = "listen: 127.0.0.1:0\n";
    text.replace(text.find(plain), plain.size(),
                 "listen: {address: '127.0.0.1:0', tls: {cert: " + own.file +
                     ", key: " + own.key_file + tls + "}}\n");
    return text;
  }
  TlsClient client(TlsWishes const& wishes = TlsWishes()) const {
    return TlsClient(RawClient(proxy.port()), authority, wishes);
  }
  // The client has done its handshake and sent `get`: the server's end of it.
  RawClient ask(TlsClient& asking) {
    asking.send(get);
    auto server = upstream.accept();
    read_request(server);
    return server;
  }
  // The files of the listener become those of another certificate.
  void replace(Certificate const& certificate) const {
    auto const over = std::filesystem::copy_options::overwrite_existing;
    std::filesystem::copy_file(certificate.file, own.file, over);
    std::filesystem::copy_file(certificate.key_file, own.key_file, over);
  }

  Authority authority;
  Certificate own;
  ScriptedUpstream upstream;
  telemetry::CapturedLog log;
  RunningProxy proxy;
};

// A whole request and its answer's end on a connection of its own.
inline std::string health(TlsClient& client) {
  client.send("GET /slotswap/health HTTP/1.1\r\nHost: p\r\nConnection: close\r\n\r\n");
  return client.read_to_end();
}

}  // namespace slotswap::test
