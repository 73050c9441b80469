#include "framing.hpp"

#include <slotswap/base/text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace slotswap::http {

namespace {

base::Fault bad_request(std::string detail) {
  return {base::Side::client, "bad_request", std::move(detail)};
}

base::Fault bad_framing(std::string detail) {
  return {base::Side::client, "bad_framing", std::move(detail)};
}

base::Fault bad_response(std::string const& what) {
  return {base::Side::server, "bad_upstream_response",
          "The upstream server's response cannot be framed: " + what};
}

std::optional<std::uint64_t> all_digits(std::string_view text) {
  std::uint64_t value = 0;
  auto const* const end = text.data() + text.size();
  auto const [at, ec] = std::from_chars(text.data(), end, value);
  if (ec != std::errc{} || at != end) return std::nullopt;
  return value;
}

// A method that we do not know may have a body or an answer framed in ways we do not know
// (CONNECT).
bool known_method(std::string_view method) {
  static constexpr std::array<std::string_view, 7> known = {"GET",   "HEAD",   "POST",   "PUT",
                                                            "PATCH", "DELETE", "OPTIONS"};
  return std::find(known.begin(), known.end(), method) != known.end();
}

// '#' never belongs into a target (RFC 9112 3.2); llama-server cuts there, so we would class
// another path than it.
bool well_formed_target(RequestHead const& head) {
  if (head.target == "*") return head.method == "OPTIONS";
  return head.target.starts_with('/') &&
         std::all_of(head.target.begin(), head.target.end(),
                     [](char c) { return c > ' ' && c < 0x7F && c != '#'; });
}

std::optional<base::Fault> check_host(RequestHead const& head) {
  auto const hosts = head.fields.all("Host");
  if (hosts.size() > 1) return bad_request("The request has more than one Host field.");
  if (hosts.empty()) {
    if (head.minor == 0) return std::nullopt;
    return bad_request("The request has no Host field.");
  }
  static constexpr std::string_view foreign = " \t/\\?#@\"<>";
  auto const plain = std::all_of(hosts[0].begin(), hosts[0].end(), [](char c) {
    return c > ' ' && c < 0x7F && foreign.find(c) == std::string_view::npos;
  });
  if (!plain) return bad_request("The Host field is not a host and port.");
  return std::nullopt;
}

// A field that Connection names is for this hop only; these frame or address the message and cannot
// be.
std::optional<base::Fault> check_connection(Fields const& fields) {
  for (auto const name : {"Content-Length", "Transfer-Encoding", "Host"}) {
    if (fields.has_token("Connection", name)) {
      return bad_framing("The Connection field names " + std::string(name) + ".");
    }
  }
  return std::nullopt;
}

}  // namespace

base::Result<Framing> frame_request(RequestHead const& head) {
  if (!known_method(head.method)) {
    return bad_request("The method is none of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS.");
  }
  if (!well_formed_target(head)) {
    return bad_request("The request's target is not a path that starts with '/' in plain ASCII.");
  }
  if (auto fault = check_host(head)) return *fault;
  if (auto fault = check_connection(head.fields)) return *fault;

  auto const codings = head.fields.all("Transfer-Encoding");
  auto const lengths = head.fields.all("Content-Length");
  if (!codings.empty()) {
    if (!lengths.empty()) {
      return bad_framing("The request has both Transfer-Encoding and Content-Length.");
    }
    if (head.minor == 0) return bad_framing("Transfer-Encoding is not part of HTTP/1.0.");
    if (codings.size() > 1 || !base::equals_ignoring_case(codings[0], "chunked")) {
      return bad_framing("The only Transfer-Encoding that is understood is one \"chunked\".");
    }
    return Framing{BodyKind::chunked, std::nullopt};
  }
  if (lengths.empty()) return Framing{};
  auto const length = all_digits(lengths[0]);
  if (lengths.size() > 1 || !length) {
    return bad_framing("Content-Length must be one number in one field.");
  }
  return Framing{*length == 0 ? BodyKind::none : BodyKind::length, length};
}

base::Result<Framing> frame_response(ResponseHead const& head, bool to_head) {
  auto const codings = head.fields.all("Transfer-Encoding");
  auto const lengths = head.fields.all("Content-Length");
  if (!codings.empty()) {
    if (!lengths.empty()) return bad_response("both Transfer-Encoding and Content-Length.");
    if (head.minor == 0) return bad_response("Transfer-Encoding in HTTP/1.0.");
    if (codings.size() > 1 || !base::equals_ignoring_case(codings[0], "chunked")) {
      return bad_response("a Transfer-Encoding other than one \"chunked\".");
    }
  }
  Framing framing;
  for (auto const value : lengths) {
    for (auto const one : list_tokens(value)) {
      auto const length = all_digits(one);
      if (!length) return bad_response("a Content-Length that is no number.");
      if (framing.content_length && framing.content_length != length) {
        return bad_response("two different Content-Lengths.");
      }
      framing.content_length = length;
    }
  }
  if (!lengths.empty() && !framing.content_length) return bad_response("an empty Content-Length.");

  if (head.status == 204 && (!codings.empty() || framing.content_length.value_or(0) > 0)) {
    return bad_response("status 204 with a body.");
  }
  if (to_head || head.status == 204 || head.status == 304) return framing;
  if (!codings.empty()) {
    framing.kind = BodyKind::chunked;
  } else if (!framing.content_length) {
    framing.kind = BodyKind::until_eof;
  } else if (*framing.content_length > 0) {
    framing.kind = BodyKind::length;
  }
  return framing;
}

bool keeps_alive(int minor, Fields const& fields) {
  if (fields.has_token("Connection", "close")) return false;
  return minor > 0 || fields.has_token("Connection", "keep-alive");
}

}  // namespace slotswap::http
