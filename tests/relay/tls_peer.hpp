// The server's side of one TLS connection, blocking, over an accepted socket. Calls give up after
// 20 s with std::runtime_error.
#pragma once

#include "support/certificates.hpp"
#include "support/raw_client.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace slotswap::test {

class TlsPeer {
 public:
  TlsPeer(RawClient connection, Certificate const& certificate);
  ~TlsPeer();
  TlsPeer(TlsPeer const&) = delete;
  TlsPeer& operator=(TlsPeer const&) = delete;

  // Clients must show a certificate of this authority.
  void demand(Authority const& authority);
  // False when the client does not go through with it.
  bool handshake();
  // After it: what the client named (SNI) and showed; empty: nothing.
  std::string server_name() const;
  std::string client_subject() const;
  std::string read_until(std::string_view marker);
  std::string read_exact(std::size_t size);
  void send(std::string_view bytes);
  // close_notify and the end of the connection.
  void close();
  // The end without it.
  void cut();
  // The client closed: without a byte before.
  bool ended();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace slotswap::test
