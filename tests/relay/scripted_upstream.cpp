#include "relay/scripted_upstream.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <sstream>
#include <stdexcept>

namespace slotswap::test {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string lines_of(Headers const& headers) {
  std::string text;
  for (auto const& [name, value] : headers) text += name + ": " + value + "\r\n";
  return text;
}

}  // namespace

std::optional<std::string> SeenRequest::header(std::string_view name) const {
  auto const found = std::ranges::find(headers, name, &Headers::value_type::first);
  if (found == headers.end()) return std::nullopt;
  return found->second;
}

std::size_t SeenRequest::count(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::count(headers, name, &Headers::value_type::first));
}

SeenRequest read_request_head(RawClient& connection) {
  SeenRequest request;
  request.head = connection.read_until("\r\n\r\n");
  std::istringstream text(request.head);
  std::string version;
  text >> request.method >> request.target >> version;
  if (version != "HTTP/1.1") throw std::runtime_error("not an HTTP/1.1 request: " + request.head);
  std::string line;
  std::getline(text, line);
  while (std::getline(text, line) && line != "\r") {
    auto const colon = line.find(": ");
    if (colon == std::string::npos || line.back() != '\r') {
      throw std::runtime_error("not a header line: " + line);
    }
    request.headers.emplace_back(lower(line.substr(0, colon)),
                                 line.substr(colon + 2, line.size() - colon - 3));
  }
  return request;
}

SeenRequest read_request(RawClient& connection) {
  auto request = read_request_head(connection);
  if (request.count("transfer-encoding") > 0 || request.count("content-length") > 1) {
    throw std::runtime_error("framed otherwise than by one length: " + request.head);
  }
  if (auto const length = request.header("content-length")) {
    request.body = connection.read_exact(std::stoul(*length));
  }
  return request;
}

std::string make_answer(std::string_view body, Headers const& headers, int status) {
  return "HTTP/1.1 " + std::to_string(status) + " Text\r\n" + lines_of(headers) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

std::string chunked_head(Headers const& headers) {
  return "HTTP/1.1 200 OK\r\n" + lines_of(headers) + "Transfer-Encoding: chunked\r\n\r\n";
}

std::string chunk(std::string_view piece) {
  std::array<char, 16> digits{};
  auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), piece.size(), 16);
  return std::string(digits.data(), end.ptr) + "\r\n" + std::string(piece) + "\r\n";
}

RawClient ScriptedUpstream::serve(std::string_view answer, SeenRequest* seen) {
  auto connection = accept();
  auto request = read_request(connection);
  if (seen != nullptr) *seen = std::move(request);
  connection.send(answer);
  return connection;
}

}  // namespace slotswap::test
