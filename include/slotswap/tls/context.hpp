// Certificates, keys and authorities from files, checked as they will be used: what the
// configuration complains of is what a start would fail on. The only room that knows OpenSSL's TLS.
// A Context may be shared by threads; connections made from it keep it.
#pragma once

#include <memory>
#include <optional>
#include <string>

struct ssl_ctx_st;

namespace slotswap::tls {

/// What a listener shows its clients. `client_ca`: authorities of the certificates that clients
/// must have; empty: none is asked for.
struct ServerFiles {
  std::string cert;
  std::string key;
  std::string client_ca;
};

/// What we trust and show as a client. `ca` empty: the system's; `cert` and `key` empty: none.
struct ClientFiles {
  std::string ca;
  std::string cert;
  std::string key;
  bool verify = true;
};

/// Which of the files it is, by its key in the configuration, and what is wrong with it.
struct Problem {
  std::string key;
  std::string what;
};

class Context {
 public:
  Context() = default;
  explicit operator bool() const { return context_ != nullptr; }
  ssl_ctx_st* get() const { return context_.get(); }

 private:
  friend std::optional<Problem> load(ServerFiles const& files, Context& context);
  friend std::optional<Problem> load(ClientFiles const& files, Context& context);
  std::shared_ptr<ssl_ctx_st> context_;
};

/// Keys of problems: `cert`, `key`, `client_ca`. Nothing: `context` is the new one.
std::optional<Problem> load(ServerFiles const& files, Context& context);
/// Keys of problems: `ca_file`, `client_cert`, `client_key`.
std::optional<Problem> load(ClientFiles const& files, Context& context);

}  // namespace slotswap::tls
