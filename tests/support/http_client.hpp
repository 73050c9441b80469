// HTTP/1.1 over a RawClient, for tests: sends what it is told and reads one answer, also a broken
// one. Knows Content-Length, chunked and bodies that end with the connection. Independent of the
// proxy's code.
#pragma once

#include "support/raw_client.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slotswap::test {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct HttpAnswer {
  int status = 0;
  std::string head;  // as received, with the blank line
  Headers headers;   // names in lower case
  std::string body;
  std::vector<std::string> chunks;  // a chunked body as it was cut
  bool complete = false;            // false: the connection ended inside the body

  // The first one; the name in lower case.
  [[nodiscard]] std::optional<std::string> header(std::string_view name) const;
  [[nodiscard]] std::size_t count(std::string_view name) const;
};

// Content-Length is added for a body, or for a POST; Host always.
std::string make_request(std::string_view method, std::string_view path,
                         Headers const& headers = {}, std::string_view body = {});

HttpAnswer read_head(RawClient& client);
// Adds the body to an answer whose head was read. no_body: the answer to a HEAD.
void read_body(RawClient& client, HttpAnswer& answer, bool no_body = false);
// Head and body; answers 1xx are skipped.
HttpAnswer read_answer(RawClient& client, bool no_body = false);

// One request on a connection of its own.
HttpAnswer request(std::uint16_t port, std::string_view method, std::string_view path,
                   Headers const& headers = {}, std::string_view body = {});

}  // namespace slotswap::test
