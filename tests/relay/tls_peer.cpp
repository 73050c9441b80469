#include "relay/tls_peer.hpp"

#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <fcntl.h>

#include <array>
#include <csignal>
#include <stdexcept>
#include <utility>

namespace slotswap::test {

std::string subject_of(ssl_st* ssl) {
  std::unique_ptr<X509, void (*)(X509*)> const certificate(::SSL_get1_peer_certificate(ssl),
                                                           &::X509_free);
  if (!certificate) return "";
  std::array<char, 256> text{};
  ::X509_NAME_oneline(::X509_get_subject_name(certificate.get()), text.data(),
                      static_cast<int>(text.size()));
  return text.data();
}

struct TlsPeer::Impl {
  explicit Impl(RawClient connection_)
      : connection(std::move(connection_)),
        context(::SSL_CTX_new(::TLS_server_method()), &::SSL_CTX_free),
        ssl(nullptr, &::SSL_free) {}

  // 0 at the end of the stream.
  std::size_t fill() {
    std::array<char, 16 * 1024> piece{};
    std::size_t got = 0;
    if (::SSL_read_ex(ssl.get(), piece.data(), piece.size(), &got) != 1) return 0;
    buffer.append(piece.data(), got);
    return got;
  }

  std::string take(std::size_t size) {
    auto taken = buffer.substr(0, size);
    buffer.erase(0, size);
    return taken;
  }

  RawClient connection;
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context;
  std::unique_ptr<SSL, void (*)(SSL*)> ssl;
  std::string buffer;
};

TlsPeer::TlsPeer(RawClient connection, Certificate const& certificate)
    : impl_(std::make_unique<Impl>(std::move(connection))) {
  // OpenSSL writes without MSG_NOSIGNAL, an alert to a peer that has gone too.
  std::signal(SIGPIPE, SIG_IGN);
  auto const fd = impl_->connection.fd();
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  timeval const patience{20, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  auto* const context = impl_->context.get();
  if (::SSL_CTX_use_certificate_file(context, certificate.file.c_str(), SSL_FILETYPE_PEM) != 1 ||
      ::SSL_CTX_use_PrivateKey_file(context, certificate.key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    throw std::runtime_error("cannot use " + certificate.file);
  }
  impl_->ssl.reset(::SSL_new(context));
  ::SSL_set_fd(impl_->ssl.get(), fd);
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
  return subject_of(impl_->ssl.get());
}

bool TlsPeer::handshake() {
  return ::SSL_accept(impl_->ssl.get()) == 1;
}

std::string TlsPeer::read_until(std::string_view marker) {
  for (;;) {
    auto const found = impl_->buffer.find(marker);
    if (found != std::string::npos) return impl_->take(found + marker.size());
    if (impl_->fill() == 0) throw std::runtime_error("ended with: " + impl_->buffer);
  }
}

std::string TlsPeer::read_exact(std::size_t size) {
  while (impl_->buffer.size() < size) {
    if (impl_->fill() == 0) throw std::runtime_error("ended too early");
  }
  return impl_->take(size);
}

void TlsPeer::send(std::string_view bytes) {
  std::size_t sent = 0;
  if (::SSL_write_ex(impl_->ssl.get(), bytes.data(), bytes.size(), &sent) != 1) {
    throw std::runtime_error("cannot send through TLS");
  }
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
