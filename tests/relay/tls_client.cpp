#include "relay/tls_client.hpp"

#include "relay/tls_peer.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <fcntl.h>

#include <array>
#include <csignal>
#include <stdexcept>
#include <utility>

namespace slotswap::test {

struct TlsClient::Impl {
  explicit Impl(RawClient connection_)
      : connection(std::move(connection_)),
        context(::SSL_CTX_new(::TLS_client_method()), &::SSL_CTX_free),
        ssl(nullptr, &::SSL_free) {}

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

TlsClient::TlsClient(RawClient connection, Authority const& trusted, TlsWishes const& wishes)
    : impl_(std::make_unique<Impl>(std::move(connection))) {
  std::signal(SIGPIPE, SIG_IGN);
  auto const fd = impl_->connection.fd();
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  timeval const patience{20, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  auto* const context = impl_->context.get();
  auto good = ::SSL_CTX_load_verify_file(context, trusted.file().c_str()) == 1;
  ::SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  // Of the old versions too, so that the server is the one to refuse them.
  ::SSL_CTX_set_security_level(context, 0);
  ::SSL_CTX_set_min_proto_version(context, wishes.version);
  ::SSL_CTX_set_max_proto_version(context, wishes.version);
  if (wishes.certificate) {
    auto const& own = *wishes.certificate;
    good = good &&
           ::SSL_CTX_use_certificate_file(context, own.file.c_str(), SSL_FILETYPE_PEM) == 1 &&
           ::SSL_CTX_use_PrivateKey_file(context, own.key_file.c_str(), SSL_FILETYPE_PEM) == 1;
  }
  if (!good) throw std::runtime_error("cannot use the certificates");
  impl_->ssl.reset(::SSL_new(context));
  auto* const ssl = impl_->ssl.get();
  ::SSL_set_fd(ssl, fd);
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
  return subject_of(impl_->ssl.get());
}

bool TlsClient::resumed() const {
  return ::SSL_session_reused(impl_->ssl.get()) == 1;
}

std::shared_ptr<ssl_session_st> TlsClient::session() const {
  return {::SSL_get1_session(impl_->ssl.get()), &::SSL_SESSION_free};
}

void TlsClient::send(std::string_view bytes) {
  std::size_t sent = 0;
  if (::SSL_write_ex(impl_->ssl.get(), bytes.data(), bytes.size(), &sent) != 1) {
    throw std::runtime_error("cannot send through TLS");
  }
}

std::string TlsClient::read_until(std::string_view marker) {
  for (;;) {
    auto const found = impl_->buffer.find(marker);
    if (found != std::string::npos) return impl_->take(found + marker.size());
    if (impl_->fill() == 0) throw std::runtime_error("ended with: " + impl_->buffer);
  }
}

std::string TlsClient::read_exact(std::size_t size) {
  while (impl_->buffer.size() < size) {
    if (impl_->fill() == 0) throw std::runtime_error("ended too early");
  }
  return impl_->take(size);
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
