#include <slotswap/tls/context.hpp>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

namespace slotswap::tls {

namespace {

// 112 bits: RSA from 2048, elliptic curves from 224.
constexpr int security_level = 2;
// OpenSSL's own choice, without key exchanges that give no forward secrecy. TLS 1.3 has no others.
constexpr char const* ciphers = "DEFAULT:!kRSA:!kPSK";
constexpr unsigned char http_1_1[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
constexpr unsigned char session_context[] = "slotswap";

std::string shown(std::string const& path) {
  return "`" + path + "` ";
}

std::optional<std::string> unreadable(std::string const& path) {
  auto const fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return shown(path) + "cannot be read: " + std::strerror(errno);
  struct stat about {};
  auto const is_file = ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
  ::close(fd);
  if (!is_file) return shown(path) + "is no file";
  return std::nullopt;
}

// The first of OpenSSL's errors, of which the others came; it leaves none behind.
std::string first_reason() {
  auto const code = ERR_peek_error();
  auto const* const words = ERR_reason_error_string(code);
  std::string reason = words != nullptr ? words : "OpenSSL gives no reason";
  ERR_clear_error();
  return reason;
}

bool no_such_block() {
  auto const code = ERR_peek_error();
  return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
}

// A question on the terminal would hold the program up.
int no_passphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

std::optional<std::string> use_certificate(SSL_CTX* context, std::string const& path) {
  if (auto problem = unreadable(path)) return problem;
  if (SSL_CTX_use_certificate_chain_file(context, path.c_str()) == 1) return std::nullopt;
  if (no_such_block()) {
    ERR_clear_error();
    return shown(path) + "holds no certificate in PEM form";
  }
  return shown(path) + "cannot be used: " + first_reason();
}

struct KeyDelete {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};

std::optional<std::string> use_key(SSL_CTX* context, std::string const& path,
                                   std::string_view cert_key) {
  if (auto problem = unreadable(path)) return problem;
  bool asked = false;
  std::unique_ptr<BIO, int (*)(BIO*)> const file(BIO_new_file(path.c_str(), "r"), &BIO_free);
  std::unique_ptr<EVP_PKEY, KeyDelete> const key(
      file ? PEM_read_bio_PrivateKey(file.get(), nullptr, no_passphrase, &asked) : nullptr);
  if (!key) {
    ERR_clear_error();
    if (asked) return shown(path) + "has a passphrase; give a key without one";
    return shown(path) + "holds no private key in PEM form";
  }
  // Before it is used: OpenSSL takes a key of another kind beside the certificate.
  if (X509_check_private_key(SSL_CTX_get0_certificate(context), key.get()) != 1) {
    ERR_clear_error();
    return shown(path) + "does not belong to the certificate in `" + std::string(cert_key) + "`";
  }
  if (SSL_CTX_use_PrivateKey(context, key.get()) == 1) return std::nullopt;
  return shown(path) + "cannot be used: " + first_reason();
}

std::optional<std::string> trust(SSL_CTX* context, std::string const& path) {
  if (auto problem = unreadable(path)) return problem;
  if (SSL_CTX_load_verify_file(context, path.c_str()) == 1) return std::nullopt;
  ERR_clear_error();
  return shown(path) + "holds no certificate in PEM form";
}

// Whatever the system's openssl.cnf says.
std::shared_ptr<SSL_CTX> make(SSL_METHOD const* method) {
  ERR_clear_error();
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(method), &SSL_CTX_free);
  if (!context) return context;
  auto* const raw = context.get();
  SSL_CTX_set_security_level(raw, security_level);
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_max_proto_version(raw, 0);
  SSL_CTX_set_cipher_list(raw, ciphers);
  SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(raw, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                            SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(raw, 1);
  return context;
}

int choose_protocol(SSL*, unsigned char const** out, unsigned char* out_size,
                    unsigned char const* offered, unsigned offered_size, void*) {
  unsigned char* chosen = nullptr;
  auto const found =
      SSL_select_next_proto(&chosen, out_size, http_1_1, sizeof http_1_1, offered, offered_size);
  *out = chosen;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

std::optional<std::string> demand_certificates(SSL_CTX* context, std::string const& path) {
  if (auto problem = trust(context, path)) return problem;
  // Told to clients, so that they know which of theirs to show.
  auto* const names = SSL_load_client_CA_file(path.c_str());
  if (names == nullptr) return shown(path) + "cannot be used: " + first_reason();
  SSL_CTX_set_client_CA_list(context, names);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return std::nullopt;
}

Problem no_context(char const* key) {
  return {key, "OpenSSL cannot be used: " + first_reason()};
}

}  // namespace

std::optional<Problem> load(ServerFiles const& files, Context& context) {
  auto made = make(TLS_server_method());
  if (!made) return no_context("cert");
  auto* const raw = made.get();
  if (auto problem = use_certificate(raw, files.cert)) return Problem{"cert", *problem};
  if (auto problem = use_key(raw, files.key, "cert")) return Problem{"key", *problem};
  if (!files.client_ca.empty()) {
    if (auto problem = demand_certificates(raw, files.client_ca))
      return Problem{"client_ca", *problem};
  }
  SSL_CTX_set_alpn_select_cb(raw, choose_protocol, nullptr);
  // Sessions are resumed by tickets alone: nothing is kept of a client that has left. A new context
  // has new keys for them, so that a certificate that is not trusted any more is asked for again.
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_session_id_context(raw, session_context, sizeof session_context - 1);
  context.context_ = std::move(made);
  return std::nullopt;
}

std::optional<Problem> load(ClientFiles const& files, Context& context) {
  auto made = make(TLS_client_method());
  if (!made) return no_context("ca_file");
  auto* const raw = made.get();
  if (!files.ca.empty()) {
    if (auto problem = trust(raw, files.ca)) return Problem{"ca_file", *problem};
  } else if (SSL_CTX_set_default_verify_paths(raw) != 1) {
    return Problem{"ca_file", "the system's certificates cannot be used: " + first_reason()};
  }
  if (!files.cert.empty()) {
    if (auto problem = use_certificate(raw, files.cert)) return Problem{"client_cert", *problem};
    if (auto problem = use_key(raw, files.key, "client_cert"))
      return Problem{"client_key", *problem};
  }
  SSL_CTX_set_verify(raw, files.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  SSL_CTX_set_alpn_protos(raw, http_1_1, sizeof http_1_1);
  context.context_ = std::move(made);
  return std::nullopt;
}

}  // namespace slotswap::tls
