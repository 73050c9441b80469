// The server behind the proxy, played by the test itself: it accepts, looks at what came, answers
// byte by byte. On the test's thread unless a body is larger than the sockets' buffers. Independent
// of the proxy's code.
#pragma once

#include "support/http_client.hpp"
#include "support/listener.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace slotswap::test {

struct SeenRequest {
  std::string head;  // as received, with the blank line
  std::string method;
  std::string target;
  Headers headers;  // names in lower case
  std::string body;

  // The first one; the name in lower case.
  [[nodiscard]] std::optional<std::string> header(std::string_view name) const;
  [[nodiscard]] std::size_t count(std::string_view name) const;
};

SeenRequest read_request_head(RawClient& connection);
// The proxy frames each body with a length: anything else throws.
SeenRequest read_request(RawClient& connection);

// With a Content-Length of its own.
std::string make_answer(std::string_view body, Headers const& headers = {}, int status = 200);
// The head of a chunked answer, and one chunk.
std::string chunked_head(Headers const& headers = {});
std::string chunk(std::string_view piece);
inline constexpr std::string_view end_of_chunks = "0\r\n\r\n";

class ScriptedUpstream {
 public:
  [[nodiscard]] std::uint16_t port() const { return listener_.port(); }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port()); }
  RawClient accept() { return listener_.accept(); }
  // Whether the proxy made another connection. Ask after an answer that would have come later.
  bool called() { return listener_.has_connection_within(Milliseconds{0}); }
  // One connection, one request, one answer; the connection stays open for the next one.
  RawClient serve(std::string_view answer, SeenRequest* seen = nullptr);

 private:
  Listener listener_;
};

}  // namespace slotswap::test
