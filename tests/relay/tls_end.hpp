// What both sides of a scripted TLS connection are made of: a blocking socket, OpenSSL's objects,
// and what was read and not taken yet. Calls give up after 20 s with std::runtime_error.
// Independent of the proxy's code.
#pragma once

#include "support/certificates.hpp"
#include "support/raw_client.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct ssl_ctx_st;
struct ssl_method_st;
struct ssl_st;

namespace slotswap::test {

struct TlsEnd {
  TlsEnd(RawClient connection_, ssl_method_st const* method);

  // Of the context, which is set up before start().
  void show(Certificate const& certificate);
  void start();

  void send(std::string_view bytes);
  std::string read_until(std::string_view marker);
  std::string read_exact(std::size_t size);
  // 0 at the end of the stream.
  std::size_t fill();
  std::string take(std::size_t size);
  // "/CN=..." of the other side's certificate; empty: it has none.
  std::string other_subject() const;

  RawClient connection;
  std::unique_ptr<ssl_ctx_st, void (*)(ssl_ctx_st*)> context;
  std::unique_ptr<ssl_st, void (*)(ssl_st*)> ssl;
  std::string buffer;
};

}  // namespace slotswap::test
