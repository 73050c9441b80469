#include <slotswap/base/text.hpp>
#include <slotswap/base/utf8.hpp>
#include <slotswap/session/session.hpp>

#include <algorithm>

namespace slotswap::session {

namespace {

constexpr std::size_t id_digits = 32;
constexpr std::size_t tag_name_characters = 40;
constexpr std::size_t tag_digest_digits = 8;

// Ids that are no client's begin so. A client can work out the digest behind them, so an id that it
// sends with such a beginning is hashed like any other text and never used as it is.
constexpr std::string_view anonymous_prefix = "5ca1ab1e";
constexpr std::string_view isolated_prefix = "51deca11";

bool is_reserved(std::string_view id) {
  return id.starts_with(anonymous_prefix) || id.starts_with(isolated_prefix);
}

std::string reserved_id(std::string_view prefix, std::string const& text) {
  return std::string(prefix) + base::sha256_hex(text).substr(0, id_digits - prefix.size());
}

bool is_tag_character(char32_t c) {
  return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') || (c >= U'0' && c <= U'9') ||
         c == U'_' || c == U'-';
}

}  // namespace

std::string state_id(std::string_view client_id, std::string_view tenant) {
  if (tenant.empty() && base::is_hex32(client_id) && !is_reserved(client_id)) {
    return std::string(client_id);
  }
  // The length keeps tenant "a" with id "bc" apart from tenant "ab" with id "c".
  auto text = "client " + std::to_string(tenant.size()) + ' ';
  text += tenant;
  text += client_id;
  return base::sha256_hex(text).substr(0, id_digits);
}

std::string anonymous_id(std::string_view route) {
  return reserved_id(anonymous_prefix, "anonymous " + std::string(route));
}

std::string isolated_id(std::string_view session) {
  return reserved_id(isolated_prefix, "isolated " + std::string(session));
}

base::Result<std::optional<std::string>> client_id(std::vector<std::string_view> const& values) {
  std::optional<std::string> id;
  for (auto const value : values) {
    auto const trimmed = base::trim(value);
    if (trimmed.empty()) continue;
    if (id && *id != trimmed) {
      return base::Fault(
          base::Side::client, "session_conflict",
          "the request has two X-Session-ID headers with different values; send one");
    }
    id = trimmed;
  }
  return id;
}

std::string model_tag(std::string_view model) {
  std::string tag;
  for (auto rest = model; !rest.empty() && tag.size() < tag_name_characters;) {
    auto const point = base::first_code_point(rest);
    tag += is_tag_character(point.value) ? rest.front() : '_';
    rest.remove_prefix(std::max<std::size_t>(point.size, 1));
  }
  tag += '-';
  tag += base::sha256_hex(model).substr(0, tag_digest_digits);
  return tag;
}

}  // namespace slotswap::session
