// TLS over one connected non-blocking socket that somebody else owns and waits on: each call does
// what goes without waiting, and says what to wait for. TLS 1.2 and 1.3 (RFC 5246, RFC 8446), ALPN
// http/1.1 (RFC 7301). Used by one thread.
#pragma once

#include <slotswap/tls/context.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct ssl_st;

namespace slotswap::tls {

enum class Step {
  done,
  wants_read,   // again when the socket can be read
  wants_write,  // again when it can be written
  ended,        // the other side said that it sends no more (close_notify)
  failed,       // nothing goes any more; reason() tells why
};

struct Moved {
  Step step = Step::done;
  std::size_t size = 0;
};

class Session {
 public:
  /// The server's side.
  Session(Context const& context, int socket);
  /// The client's: the certificate must be for `name`, which is told to the server (SNI) unless it
  /// is an address.
  Session(Context const& context, int socket, std::string const& name);
  ~Session();
  Session(Session const&) = delete;
  Session& operator=(Session const&) = delete;

  Step handshake();
  /// As much as there is, over records; `done` with at least one byte.
  Moved read(std::span<char> buffer);
  /// At most one record. After wants_... the same bytes must come again, at any address.
  Moved write(std::string_view bytes);
  /// Bytes may be here already that the socket does not show any more: read without waiting.
  bool has_more() const { return has_more_; }
  /// Nothing to read and not ended, whatever the socket shows: tickets and the like are taken.
  bool quiet();
  /// close_notify: what we sent is complete.
  Step say_end();

  /// Of a failure, for a person: with the certificate's subject where it was that.
  std::string const& reason() const { return reason_; }
  /// The other side has not sent a byte.
  bool silent() const { return received_ == 0; }
  /// It began with an HTTP request instead.
  bool met_plain_http() const { return plain_http_; }

 private:
  friend struct Bridge;  // OpenSSL's callbacks
  void bind(int socket);
  Step after(int result);
  Step after_read(int result);
  void note_failure(int error, int system_error);

  std::unique_ptr<ssl_st, void (*)(ssl_st*)> ssl_;
  int socket_;
  std::string name_;
  std::string reason_;
  std::string verdict_;  // on the other side's certificate
  std::size_t received_ = 0;
  Step last_ = Step::done;  // ended and failed stay
  bool write_failed_ = false;
  bool shaken_ = false;
  bool has_more_ = false;
  bool plain_http_ = false;
};

}  // namespace slotswap::tls
