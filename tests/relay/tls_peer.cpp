#include "relay/tls_peer.hpp"

#include "relay/tls_end.hpp"

#include <openssl/ssl.h>

#include <stdexcept>
#include <utility>

namespace slotswap::test {

struct TlsPeer::Impl : TlsEnd {
  using TlsEnd::TlsEnd;
};

TlsPeer::TlsPeer(RawClient connection, Certificate const& certificate)
    : impl_(std::make_unique<Impl>(std::move(connection), ::TLS_server_method())) {
  impl_->show(certificate);
  impl_->start();
}

TlsPeer::~TlsPeer() = default;

void TlsPeer::demand(Authority const& authority) {
  auto* const store = ::SSL_CTX_get_cert_store(impl_->context.get());
  if (::X509_STORE_load_file(store, authority.file().c_str()) != 1) {
    throw std::runtime_error("cannot use " + authority.file());
  }
  ::SSL_set_verify(impl_->ssl.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
}

std::string TlsPeer::server_name() const {
  auto const* const name = ::SSL_get_servername(impl_->ssl.get(), TLSEXT_NAMETYPE_host_name);
  return name != nullptr ? name : "";
}

std::string TlsPeer::client_subject() const {
  return impl_->other_subject();
}

bool TlsPeer::handshake() {
  return ::SSL_accept(impl_->ssl.get()) == 1;
}

std::string TlsPeer::read_until(std::string_view marker) {
  return impl_->read_until(marker);
}

std::string TlsPeer::read_exact(std::size_t size) {
  return impl_->read_exact(size);
}

void TlsPeer::send(std::string_view bytes) {
  impl_->send(bytes);
}

void TlsPeer::cut() {
  impl_->connection.close();
}

void TlsPeer::close() {
  ::SSL_shutdown(impl_->ssl.get());
  impl_->connection.close();
}

bool TlsPeer::ended() {
  return impl_->buffer.empty() && impl_->fill() == 0;
}

}  // namespace slotswap::test
