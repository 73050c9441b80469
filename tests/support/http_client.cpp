#include "support/http_client.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>

namespace slotswap::test {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::size_t number(std::string_view text, int base) {
  std::size_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end == text.data()) {
    throw std::runtime_error("not a length: " + std::string(text));
  }
  return value;
}

void parse_head(HttpAnswer& answer) {
  std::string_view rest = answer.head;
  auto const next_line = [&rest] {
    auto const end = rest.find("\r\n");
    auto const line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    return line;
  };
  auto const status_line = next_line();
  if (!status_line.starts_with("HTTP/1.") || status_line.size() < 12) {
    throw std::runtime_error("not an HTTP answer: " + std::string(status_line));
  }
  answer.status = static_cast<int>(number(status_line.substr(9, 3), 10));
  for (auto line = next_line(); !line.empty(); line = next_line()) {
    auto const colon = line.find(':');
    answer.headers.emplace_back(lower(line.substr(0, colon)), trim(line.substr(colon + 1)));
  }
}

void read_chunks(RawClient& client, HttpAnswer& answer) {
  while (true) {
    auto const size = number(client.read_until("\r\n"), 16);
    if (size == 0) break;
    answer.chunks.push_back(client.read_exact(size));
    answer.body += answer.chunks.back();
    if (client.read_exact(2) != "\r\n") throw std::runtime_error("a chunk without its end");
  }
  while (client.read_until("\r\n") != "\r\n") continue;
}

}  // namespace

std::optional<std::string> HttpAnswer::header(std::string_view name) const {
  auto const found = std::ranges::find(headers, name, &Headers::value_type::first);
  if (found == headers.end()) return std::nullopt;
  return found->second;
}

std::size_t HttpAnswer::count(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::count(headers, name, &Headers::value_type::first));
}

std::string make_request(std::string_view method, std::string_view path, Headers const& headers,
                         std::string_view body) {
  std::string text =
      std::string(method) + " " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n";
  for (auto const& [name, value] : headers) text += name + ": " + value + "\r\n";
  if (!body.empty() || method == "POST") {
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  }
  return text + "\r\n" + std::string(body);
}

HttpAnswer read_head(RawClient& client) {
  HttpAnswer answer;
  answer.head = client.read_until("\r\n\r\n");
  parse_head(answer);
  return answer;
}

void read_body(RawClient& client, HttpAnswer& answer, bool no_body) {
  answer.complete = true;
  if (no_body || answer.status < 200 || answer.status == 204 || answer.status == 304) return;
  try {
    if (lower(answer.header("transfer-encoding").value_or("")) == "chunked") {
      read_chunks(client, answer);
    } else if (auto const length = answer.header("content-length")) {
      answer.body = client.read_exact(number(*length, 10));
    } else {
      answer.body = client.read_to_end();
      answer.complete = !client.was_reset();
    }
  } catch (std::runtime_error const&) {
    if (!client.closed_within(Milliseconds{0})) throw;
    answer.body += client.read_to_end();
    answer.complete = false;
  }
}

HttpAnswer read_answer(RawClient& client, bool no_body) {
  auto answer = read_head(client);
  while (answer.status < 200) answer = read_head(client);
  read_body(client, answer, no_body);
  return answer;
}

HttpAnswer request(std::uint16_t port, std::string_view method, std::string_view path,
                   Headers const& headers, std::string_view body) {
  RawClient client(port);
  client.send(make_request(method, path, headers, body));
  return read_answer(client, method == "HEAD");
}

}  // namespace slotswap::test
