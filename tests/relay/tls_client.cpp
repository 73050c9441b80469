#include "relay/tls_client.hpp"

#include "relay/tls_end.hpp"

#include <openssl/ssl.h>

#include <stdexcept>
#include <utility>

namespace slotswap::test {

struct TlsClient::Impl : TlsEnd {
  using TlsEnd::TlsEnd;
};

TlsClient::TlsClient(RawClient connection, Authority const& trusted, TlsWishes const& wishes)
    : impl_(std::make_unique<Impl>(std::move(connection), ::TLS_client_method())) {
  auto* const context = impl_->context.get();
  if (::SSL_CTX_load_verify_file(context, trusted.file().c_str()) != 1)
    throw std::runtime_error("cannot use " + trusted.file());
  ::SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  // Of the old versions too, so that the server is the one to refuse them.
  ::SSL_CTX_set_security_level(context, 0);
  ::SSL_CTX_set_min_proto_version(context, wishes.version);
  ::SSL_CTX_set_max_proto_version(context, wishes.version);
  if (wishes.certificate) impl_->show(*wishes.certificate);
  impl_->start();
  auto* const ssl = impl_->ssl.get();
  if (!wishes.protocols.empty()) {
    ::SSL_set_alpn_protos(ssl, reinterpret_cast<unsigned char const*>(wishes.protocols.data()),
                          static_cast<unsigned>(wishes.protocols.size()));
  }
  if (wishes.session) ::SSL_set_session(ssl, wishes.session.get());
}

TlsClient::~TlsClient() = default;
TlsClient::TlsClient(TlsClient&&) noexcept = default;

bool TlsClient::handshake() {
  return ::SSL_connect(impl_->ssl.get()) == 1;
}

int TlsClient::version() const {
  return ::SSL_version(impl_->ssl.get());
}

std::string TlsClient::protocol() const {
  unsigned char const* chosen = nullptr;
  unsigned size = 0;
  ::SSL_get0_alpn_selected(impl_->ssl.get(), &chosen, &size);
  return size == 0 ? "" : std::string(reinterpret_cast<char const*>(chosen), size);
}

std::string TlsClient::server_subject() const {
  return impl_->other_subject();
}

bool TlsClient::resumed() const {
  return ::SSL_session_reused(impl_->ssl.get()) == 1;
}

std::shared_ptr<ssl_session_st> TlsClient::session() const {
  return {::SSL_get1_session(impl_->ssl.get()), &::SSL_SESSION_free};
}

void TlsClient::send(std::string_view bytes) {
  impl_->send(bytes);
}

std::string TlsClient::read_until(std::string_view marker) {
  return impl_->read_until(marker);
}

std::string TlsClient::read_exact(std::size_t size) {
  return impl_->read_exact(size);
}

std::string TlsClient::read_to_end() {
  while (impl_->fill() > 0) {
  }
  return impl_->take(impl_->buffer.size());
}

bool TlsClient::said_end() const {
  return (::SSL_get_shutdown(impl_->ssl.get()) & SSL_RECEIVED_SHUTDOWN) != 0 &&
         ::SSL_get_error(impl_->ssl.get(), 0) == SSL_ERROR_ZERO_RETURN;
}

void TlsClient::say_end() {
  ::SSL_shutdown(impl_->ssl.get());
}

RawClient& TlsClient::connection() {
  return impl_->connection;
}

}  // namespace slotswap::test
