#include <slotswap/tls/session.hpp>

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <new>

namespace slotswap::tls {

namespace {

constexpr std::size_t longest_subject = 200;

bool is_address(std::string const& name) {
  std::array<unsigned char, sizeof(in6_addr)> out{};
  return ::inet_pton(AF_INET, name.c_str(), out.data()) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), out.data()) == 1;
}

// ASCII whatever stands in it: RFC 2253 with everything else escaped.
std::string subject_of(X509* certificate) {
  std::unique_ptr<BIO, int (*)(BIO*)> const text(BIO_new(BIO_s_mem()), &BIO_free);
  if (certificate == nullptr || !text) return "?";
  X509_NAME_print_ex(text.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
  char* begin = nullptr;
  auto const size = BIO_get_mem_data(text.get(), &begin);
  std::string subject(begin, static_cast<std::size_t>(size));
  if (subject.empty()) return "no name";
  if (subject.size() > longest_subject) subject.replace(longest_subject, std::string::npos, "...");
  return subject;
}

}  // namespace

// The socket as OpenSSL's source of bytes. Its own one raises SIGPIPE.
struct Bridge {
  static Session& session(BIO* bio) { return *static_cast<Session*>(BIO_get_data(bio)); }

  static bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

  static int read(BIO* bio, char* buffer, std::size_t size, std::size_t* got) {
    BIO_clear_retry_flags(bio);
    auto const count = ::recv(session(bio).socket_, buffer, size, 0);
    *got = count > 0 ? static_cast<std::size_t>(count) : 0;
    session(bio).received_ += *got;
    if (count < 0 && would_block()) BIO_set_retry_read(bio);
    if (count == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
    return count > 0 ? 1 : 0;
  }

  static int write(BIO* bio, char const* buffer, std::size_t size, std::size_t* sent) {
    BIO_clear_retry_flags(bio);
    auto const count = ::send(session(bio).socket_, buffer, size, MSG_NOSIGNAL);
    *sent = count > 0 ? static_cast<std::size_t>(count) : 0;
    if (count < 0 && would_block()) BIO_set_retry_write(bio);
    return count > 0 ? 1 : 0;
  }

  static long control(BIO* bio, int command, long, void*) {
    if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
    return command == BIO_CTRL_FLUSH ? 1 : 0;
  }

  static BIO_METHOD* make_method() {
    auto* const method =
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "slotswap socket");
    if (method == nullptr) throw std::bad_alloc();
    BIO_meth_set_read_ex(method, read);
    BIO_meth_set_write_ex(method, write);
    BIO_meth_set_ctrl(method, control);
    return method;
  }

  static int verified(int good, X509_STORE_CTX* store) {
    if (good == 1) return good;
    auto* const ssl =
        static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
    auto& session = *static_cast<Session*>(SSL_get_app_data(ssl));
    auto const error = X509_STORE_CTX_get_error(store);
    auto const for_another =
        error == X509_V_ERR_HOSTNAME_MISMATCH || error == X509_V_ERR_IP_ADDRESS_MISMATCH;
    session.verdict_ =
        "the certificate of " + subject_of(X509_STORE_CTX_get_current_cert(store)) +
        (for_another ? " is not for " + session.name_
                     : std::string(" is refused: ") + X509_verify_cert_error_string(error));
    return good;
  }
};

void Session::bind(int socket) {
  static BIO_METHOD* const method = Bridge::make_method();
  socket_ = socket;
  auto* const bio = BIO_new(method);
  if (!ssl_ || bio == nullptr) throw std::bad_alloc();
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_.get(), bio, bio);
  SSL_set_app_data(ssl_.get(), this);
  auto const mode = SSL_get_verify_mode(ssl_.get());
  if (mode != SSL_VERIFY_NONE) SSL_set_verify(ssl_.get(), mode, Bridge::verified);
}

Session::Session(Context const& context, int socket)
    : ssl_(SSL_new(context.get()), &SSL_free), socket_(socket) {
  bind(socket);
  SSL_set_accept_state(ssl_.get());
}

Session::Session(Context const& context, int socket, std::string const& name)
    : ssl_(SSL_new(context.get()), &SSL_free), socket_(socket), name_(name) {
  bind(socket);
  SSL_set_connect_state(ssl_.get());
  auto* const wanted = SSL_get0_param(ssl_.get());
  X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  auto set = 1;
  if (is_address(name)) {
    set = X509_VERIFY_PARAM_set1_ip_asc(wanted, name.c_str());
  } else {
    set = X509_VERIFY_PARAM_set1_host(wanted, name.data(), name.size());
    SSL_set_tlsext_host_name(ssl_.get(), name.c_str());
  }
  // Never silently unverified.
  if (set != 1) throw std::bad_alloc();
}

Session::~Session() = default;

void Session::note_failure(int error, int system_error) {
  auto const code = ERR_peek_error();
  auto const reason = ERR_GET_REASON(code);
  auto const* const words = ERR_reason_error_string(code);
  plain_http_ = ERR_GET_LIB(code) == ERR_LIB_SSL && reason == SSL_R_HTTP_REQUEST;
  auto const cut = ERR_GET_LIB(code) == ERR_LIB_SSL && reason == SSL_R_UNEXPECTED_EOF_WHILE_READING;
  if (!shaken_ && !verdict_.empty()) {
    reason_ = verdict_;
  } else if (plain_http_) {
    reason_ = "a plain HTTP request";
  } else if (cut || (error == SSL_ERROR_SYSCALL && code == 0 && system_error == 0)) {
    reason_ = shaken_ ? "it closed the connection without TLS's close_notify"
                      : "it closed the connection in the handshake";
  } else if (code != 0 && words != nullptr) {
    reason_ = words;
  } else {
    reason_ = system_error != 0 ? std::strerror(system_error) : "OpenSSL gives no reason";
  }
}

Step Session::after(int result) {
  auto const system_error = errno;
  if (result > 0) return Step::done;
  auto const error = SSL_get_error(ssl_.get(), result);
  if (error == SSL_ERROR_WANT_READ) return Step::wants_read;
  if (error == SSL_ERROR_WANT_WRITE) return Step::wants_write;
  if (error == SSL_ERROR_ZERO_RETURN) return Step::ended;
  note_failure(error, system_error);
  ERR_clear_error();
  return Step::failed;
}

// Of what was read: an end stays one.
Step Session::after_read(int result) {
  auto const step = after(result);
  if (step == Step::ended || step == Step::failed) last_ = step;
  return step;
}

Step Session::handshake() {
  if (last_ != Step::done) return last_;
  ERR_clear_error();
  errno = 0;
  auto const step = after_read(SSL_do_handshake(ssl_.get()));
  if (step == Step::done) shaken_ = true;
  // The first request may have come in the same packet.
  has_more_ = shaken_ && SSL_has_pending(ssl_.get()) == 1;
  return step;
}

Moved Session::read(std::span<char> buffer) {
  Moved moved;
  has_more_ = false;
  if (last_ != Step::done) return {last_, 0};
  while (moved.size < buffer.size()) {
    ERR_clear_error();
    errno = 0;
    std::size_t got = 0;
    auto const rest = buffer.subspan(moved.size);
    moved.step = after_read(SSL_read_ex(ssl_.get(), rest.data(), rest.size(), &got));
    moved.size += got;
    if (moved.step != Step::done) break;
  }
  // What came is given out first; how it ended, the next time.
  has_more_ = moved.step == Step::done ? SSL_has_pending(ssl_.get()) == 1
                                       : moved.size > 0 && last_ != Step::done;
  if (moved.size > 0) moved.step = Step::done;
  return moved;
}

Moved Session::write(std::string_view bytes) {
  Moved moved;
  if (write_failed_) return {Step::failed, 0};
  ERR_clear_error();
  errno = 0;
  moved.step = after(SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &moved.size));
  // Not the end of reading: an answer may have come before the other side closed.
  write_failed_ = moved.step == Step::failed;
  return moved;
}

bool Session::quiet() {
  if (last_ != Step::done) return false;
  ERR_clear_error();
  errno = 0;
  char byte = 0;
  std::size_t got = 0;
  auto const step = after_read(SSL_peek_ex(ssl_.get(), &byte, 1, &got));
  return step == Step::wants_read && SSL_has_pending(ssl_.get()) == 0;
}

Step Session::say_end() {
  if (last_ == Step::failed || write_failed_ || !shaken_) return Step::failed;
  ERR_clear_error();
  errno = 0;
  auto const result = SSL_shutdown(ssl_.get());
  // 0: ours is sent, the other side's has not come, and is not waited for here.
  return result >= 0 ? Step::done : after(result);
}

}  // namespace slotswap::tls
