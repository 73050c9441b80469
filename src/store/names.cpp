// Names are taken apart from the end: a tag may hold '_' and '-', an id and a generation may not.
#include "packed.hpp"

#include <slotswap/base/text.hpp>
#include <slotswap/store/state.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace slotswap::store {
namespace {

constexpr std::size_t id_length = 32;
constexpr std::size_t digest_length = 8;
constexpr std::size_t longest_readable = 40;
constexpr std::size_t longest_generation = 16;
constexpr std::string_view data_suffix = ".bin";
constexpr std::string_view manifest_suffix = ".json";
constexpr std::string_view unfinished_suffix = ".json.new";

bool is_tag_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '-';
}

/// The model's name made safe, '-', and the digest that tells equal ones apart.
bool is_tag(std::string_view text) {
  if (text.size() < digest_length + 1) return false;
  auto const readable = text.substr(0, text.size() - digest_length - 1);
  auto const digest = text.substr(text.size() - digest_length);
  return readable.size() <= longest_readable && text[readable.size()] == '-' &&
         std::all_of(readable.begin(), readable.end(), is_tag_character) &&
         std::all_of(digest.begin(), digest.end(), is_hex_digit);
}

std::optional<StateKey> parse_key(std::string_view text) {
  if (text.size() < id_length + 1) return std::nullopt;
  auto const tag = text.substr(0, text.size() - id_length - 1);
  auto const id = text.substr(text.size() - id_length);
  if (text[tag.size()] != '_' || !is_tag(tag) || !base::is_hex32(id)) return std::nullopt;
  return StateKey{std::string(tag), std::string(id)};
}

/// Only as data_name() writes it: another spelling of the number would be another file.
std::optional<std::uint64_t> parse_generation(std::string_view text) {
  auto const padded = text.size() > 1 && text.front() == '0';
  if (text.empty() || text.size() > longest_generation || padded ||
      !std::all_of(text.begin(), text.end(), is_hex_digit)) {
    return std::nullopt;
  }
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

}  // namespace

std::string data_name(StateKey const& key, std::uint64_t generation) {
  std::array<char, longest_generation> digits{};
  auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), generation, 16).ptr;
  return key.text() + "-" + std::string(digits.data(), end) + std::string(data_suffix);
}

std::string manifest_name(StateKey const& key) {
  return key.text() + std::string(manifest_suffix);
}

std::string unfinished_name(StateKey const& key) {
  return key.text() + std::string(unfinished_suffix);
}

std::uint64_t later_generation(std::uint64_t last, std::uint64_t seen) {
  constexpr auto reachable = std::numeric_limits<std::uint64_t>::max() / 2;
  return seen > reachable ? last : std::max(last, seen);
}

std::optional<DataName> parse_data_name(std::string_view name) {
  if (!name.ends_with(data_suffix)) return std::nullopt;
  name.remove_suffix(data_suffix.size());
  auto const dash = name.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  auto key = parse_key(name.substr(0, dash));
  auto const generation = parse_generation(name.substr(dash + 1));
  if (!key || !generation) return std::nullopt;
  return DataName{std::move(*key), *generation};
}

std::optional<StateKey> parse_manifest_name(std::string_view name) {
  if (!name.ends_with(manifest_suffix)) return std::nullopt;
  name.remove_suffix(manifest_suffix.size());
  return parse_key(name);
}

std::string foreign_name(StateKey const& key) {
  return key.text() + std::string(data_suffix);
}

std::optional<StateKey> parse_foreign_name(std::string_view name) {
  if (!name.ends_with(data_suffix)) return std::nullopt;
  name.remove_suffix(data_suffix.size());
  return parse_key(name);
}

bool is_unfinished_manifest(std::string_view name) {
  if (!name.ends_with(unfinished_suffix)) return false;
  name.remove_suffix(unfinished_suffix.size());
  return parse_key(name).has_value();
}

}  // namespace slotswap::store
