#include "relay/tls_end.hpp"

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

TlsEnd::TlsEnd(RawClient connection_, ssl_method_st const* method)
    : connection(std::move(connection_)),
      context(::SSL_CTX_new(method), &::SSL_CTX_free),
      ssl(nullptr, &::SSL_free) {
  // OpenSSL writes without MSG_NOSIGNAL, an alert to a peer that has gone too.
  std::signal(SIGPIPE, SIG_IGN);
  auto const fd = connection.fd();
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  timeval const patience{20, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

void TlsEnd::show(Certificate const& certificate) {
  auto* const raw = context.get();
  auto const& key = certificate.key_file;
  if (::SSL_CTX_use_certificate_file(raw, certificate.file.c_str(), SSL_FILETYPE_PEM) != 1 ||
      ::SSL_CTX_use_PrivateKey_file(raw, key.c_str(), SSL_FILETYPE_PEM) != 1) {
    throw std::runtime_error("cannot use " + certificate.file);
  }
}

void TlsEnd::start() {
  ssl.reset(::SSL_new(context.get()));
  ::SSL_set_fd(ssl.get(), connection.fd());
}

void TlsEnd::send(std::string_view bytes) {
  std::size_t sent = 0;
  if (::SSL_write_ex(ssl.get(), bytes.data(), bytes.size(), &sent) != 1) {
    throw std::runtime_error("cannot send through TLS");
  }
}

std::string TlsEnd::read_until(std::string_view marker) {
  for (;;) {
    auto const found = buffer.find(marker);
    if (found != std::string::npos) return take(found + marker.size());
    if (fill() == 0) throw std::runtime_error("ended with: " + buffer);
  }
}

std::string TlsEnd::read_exact(std::size_t size) {
  while (buffer.size() < size) {
    if (fill() == 0) throw std::runtime_error("ended too early");
  }
  return take(size);
}

std::size_t TlsEnd::fill() {
  std::array<char, 16 * 1024> piece{};
  std::size_t got = 0;
  if (::SSL_read_ex(ssl.get(), piece.data(), piece.size(), &got) != 1) return 0;
  buffer.append(piece.data(), got);
  return got;
}

std::string TlsEnd::take(std::size_t size) {
  auto taken = buffer.substr(0, size);
  buffer.erase(0, size);
  return taken;
}

std::string TlsEnd::other_subject() const {
  std::unique_ptr<X509, void (*)(X509*)> const certificate(::SSL_get1_peer_certificate(ssl.get()),
                                                           &::X509_free);
  if (!certificate) return "";
  std::array<char, 256> text{};
  ::X509_NAME_oneline(::X509_get_subject_name(certificate.get()), text.data(),
                      static_cast<int>(text.size()));
  return text.data();
}

}  // namespace slotswap::test
