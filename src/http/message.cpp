#include <slotswap/base/text.hpp>
#include <slotswap/http/message.hpp>

#include <algorithm>

namespace slotswap::http {

namespace {

bool named(Field const& field, std::string_view name) {
  return base::equals_ignoring_case(field.name, name);
}

// A line break in a name or value would begin a line of its own choosing: it is written as a blank.
void append_clean(std::string& out, std::string_view text) {
  static constexpr std::string_view breaks("\r\n\0", 3);
  auto const start = out.size();
  out += text;
  if (text.find_first_of(breaks) == std::string_view::npos) return;
  std::replace_if(
      out.begin() + static_cast<std::ptrdiff_t>(start), out.end(),
      [](char c) { return breaks.find(c) != std::string_view::npos; }, ' ');
}

void append_fields(std::string& out, Fields const& fields) {
  for (auto const& field : fields) {
    append_clean(out, field.name);
    out += ": ";
    append_clean(out, field.value);
    out += "\r\n";
  }
  out += "\r\n";
}

void append_version(std::string& out, int minor) {
  out += minor == 0 ? "HTTP/1.0" : "HTTP/1.1";
}

}  // namespace

void Fields::add(std::string name, std::string value) {
  fields_.emplace_back(std::move(name), std::move(value));
}

void Fields::set(std::string_view name, std::string value) {
  auto const first = std::find_if(fields_.begin(), fields_.end(),
                                  [name](Field const& field) { return named(field, name); });
  if (first == fields_.end()) {
    add(std::string(name), std::move(value));
    return;
  }
  first->value = std::move(value);
  fields_.erase(std::remove_if(first + 1, fields_.end(),
                               [name](Field const& field) { return named(field, name); }),
                fields_.end());
}

void Fields::erase(std::string_view name) {
  std::erase_if(fields_, [name](Field const& field) { return named(field, name); });
}

bool Fields::has(std::string_view name) const {
  return std::any_of(fields_.begin(), fields_.end(),
                     [name](Field const& field) { return named(field, name); });
}

std::string_view Fields::get(std::string_view name) const {
  auto const first = std::find_if(fields_.begin(), fields_.end(),
                                  [name](Field const& field) { return named(field, name); });
  return first == fields_.end() ? std::string_view{} : std::string_view(first->value);
}

std::vector<std::string_view> Fields::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (auto const& field : fields_) {
    if (named(field, name)) values.emplace_back(field.value);
  }
  return values;
}

bool Fields::has_token(std::string_view name, std::string_view token) const {
  for (auto const& field : fields_) {
    if (!named(field, name)) continue;
    auto const listed = list_tokens(field.value);
    if (std::any_of(listed.begin(), listed.end(), [token](std::string_view one) {
          return base::equals_ignoring_case(one, token);
        })) {
      return true;
    }
  }
  return false;
}

std::vector<std::string_view> list_tokens(std::string_view value) {
  std::vector<std::string_view> tokens;
  while (!value.empty()) {
    auto const comma = std::min(value.find(','), value.size());
    auto const token = base::trim(value.substr(0, comma));
    if (!token.empty()) tokens.push_back(token);
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
  return tokens;
}

std::string serialize(RequestHead const& head) {
  std::string out;
  out.reserve(512);
  append_clean(out, head.method);
  out += ' ';
  append_clean(out, head.target);
  out += ' ';
  append_version(out, head.minor);
  out += "\r\n";
  append_fields(out, head.fields);
  return out;
}

std::string serialize(ResponseHead const& head) {
  std::string out;
  out.reserve(512);
  append_version(out, head.minor);
  out += ' ';
  out += std::to_string(head.status);
  out += ' ';
  append_clean(out, head.reason);
  out += "\r\n";
  append_fields(out, head.fields);
  return out;
}

std::string_view reason_phrase(int status) {
  struct Row {
    int status;
    std::string_view phrase;
  };
  static constexpr Row rows[] = {
      {100, "Continue"},
      {200, "OK"},
      {201, "Created"},
      {202, "Accepted"},
      {204, "No Content"},
      {206, "Partial Content"},
      {301, "Moved Permanently"},
      {302, "Found"},
      {304, "Not Modified"},
      {307, "Temporary Redirect"},
      {308, "Permanent Redirect"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {408, "Request Timeout"},
      {409, "Conflict"},
      {411, "Length Required"},
      {413, "Content Too Large"},
      {414, "URI Too Long"},
      {415, "Unsupported Media Type"},
      {417, "Expectation Failed"},
      {422, "Unprocessable Content"},
      {429, "Too Many Requests"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {502, "Bad Gateway"},
      {503, "Service Unavailable"},
      {504, "Gateway Timeout"},
      {505, "HTTP Version Not Supported"},
  };
  auto const* const row = std::find_if(std::begin(rows), std::end(rows),
                                       [status](Row const& one) { return one.status == status; });
  return row == std::end(rows) ? std::string_view("Unknown") : row->phrase;
}

}  // namespace slotswap::http
