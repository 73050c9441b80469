#include <slotswap/base/utf8.hpp>
#include <slotswap/json/scan.hpp>
#include <slotswap/llama/stream.hpp>

#include <algorithm>

namespace slotswap::llama {

namespace {

constexpr std::size_t quoted_bytes = 500;

// Of a JSON text: line ends outside of strings are all it can have, and would end the data: line.
std::string on_one_line(std::string_view json) {
  std::string line(json);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty() && out.size() < quoted_bytes) {
    auto const valid = base::first_invalid_utf8(text);
    out += text.substr(0, valid);
    if (valid == text.size()) break;
    out += "\xEF\xBF\xBD";
    text.remove_prefix(valid + 1);
  }
  return out;
}

// As llama-server says it, with the status for a code.
std::string wrapped(int status, std::string_view body) {
  auto const said = body.substr(0, quoted_bytes);
  auto const words = said.empty() ? "no words" : printable(said);
  auto const refused = status >= 400 && status < 500;
  auto const* type = refused ? "invalid_request_error" : "server_error";
  return R"({"code":)" + std::to_string(status) + R"(,"message":)" +
         json::quote("the server answered " + std::to_string(status) + ": " + words) +
         R"(,"type":")" + type + R"("})";
}

// The text of the member "error" of a JSON object.
std::optional<std::string> error_in(std::string_view body) {
  auto const parsed = json::parse(body);
  if (parsed.has_error() || !parsed->is_object()) return std::nullopt;
  auto const places = json::member_values(body, "error");
  if (places.empty()) return std::nullopt;
  auto const& last = places.back();
  return on_one_line(body.substr(last.begin, last.end - last.begin));
}

}  // namespace

std::optional<Dialect> dialect_of(std::string_view path) {
  auto const is = [path](std::string_view name) {
    return path == name || (path.starts_with("/v1") && path.substr(3) == name);
  };
  if (is("/chat/completions") || path == "/v1/completions") return Dialect::chat;
  if (is("/completion") || path == "/completions" || is("/responses")) return Dialect::plain;
  if (is("/messages")) return Dialect::anthropic;
  return std::nullopt;
}

std::string_view heartbeat(Dialect dialect) {
  // A blank line behind the comment would be an empty event to some clients.
  return dialect == Dialect::anthropic ? "event: ping\ndata: {\"type\": \"ping\"}\n\n" : ":\n";
}

std::string error_events(Dialect dialect, int status, std::string_view body) {
  auto const error = error_in(body).value_or(wrapped(status, body));
  if (dialect == Dialect::anthropic)
    return "event: error\ndata: {\"type\":\"error\",\"error\":" + error + "}\n\n";
  auto const* const end = dialect == Dialect::chat ? "data: [DONE]\n\n" : "";
  return "data: {\"error\":" + error + "}\n\n" + end;
}

}  // namespace slotswap::llama
