// The client's side of one TLS connection, blocking. Calls give up after 20 s with
// std::runtime_error. Independent of the proxy's code.
#pragma once

#include "support/certificates.hpp"
#include "support/raw_client.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct ssl_session_st;

namespace slotswap::test {

struct TlsWishes {
  int version = 0;                          // 0: any; TLS1_1_VERSION, ...
  std::string protocols;                    // ALPN, each after its length
  std::optional<Certificate> certificate;   // shown when asked for
  std::shared_ptr<ssl_session_st> session;  // to go on with
};

class TlsClient {
 public:
  TlsClient(RawClient connection, Authority const& trusted, TlsWishes const& wishes = TlsWishes());
  ~TlsClient();
  TlsClient(TlsClient&&) noexcept;
  TlsClient& operator=(TlsClient&&) = delete;

  // False when the server does not go through with it. With TLS 1.3 a server that refuses the
  // client's certificate says so later, in place of an answer.
  bool handshake();
  [[nodiscard]] int version() const;
  [[nodiscard]] std::string protocol() const;  // chosen by ALPN
  [[nodiscard]] std::string server_subject() const;
  [[nodiscard]] bool resumed() const;
  [[nodiscard]] std::shared_ptr<ssl_session_st> session() const;

  void send(std::string_view bytes);
  std::string read_until(std::string_view marker);
  std::string read_exact(std::size_t size);
  // To the end of the connection, whatever it is.
  std::string read_to_end();
  // After read_to_end(): it was said by close_notify.
  [[nodiscard]] bool said_end() const;

  // close_notify, without the end of the connection.
  void say_end();
  // The connection as it is, for an end without a word.
  RawClient& connection();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace slotswap::test
