// Which requests are none of their session's story, and what is done with them.
#include "route_parts.hpp"

#include <algorithm>
#include <utility>

namespace slotswap::config {
namespace {

// Far above any prompt; 0 would match nothing, where elsewhere it means no limit.
constexpr std::uint64_t most_tokens = 1'000'000'000;
constexpr std::size_t longest_name = 256;

// RFC 9110 5.6.2
bool is_token_char(char c) {
  static constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         marks.find(c) != std::string_view::npos;
}

bool is_header_name(std::string_view name) {
  return !name.empty() && name.size() <= longest_name &&
         std::all_of(name.begin(), name.end(), is_token_char);
}

void read_header(Section const& match, SideRule& rule) {
  auto const* const entry = match.find("header");
  if (entry == nullptr) return;
  auto const& node = *entry->value;
  if (node.kind != Node::Kind::map || node.entries.size() != 1) {
    auto const found = node.kind == Node::Kind::map && !node.entries.empty()
                           ? std::to_string(node.entries.size()) + " of them"
                       : node.kind == Node::Kind::map ? "an empty map"
                                                      : shown(node);
    match.error(node.kind == Node::Kind::null ? entry->place : node.place, "header",
                "expected a map of one header's name and a glob, {NAME: GLOB}, found " + found);
    return;
  }
  auto const& field = node.entries.front();
  if (!is_header_name(field.key)) {
    match.error(field.place, "header", shown(field.key) + " is no name of a header");
    return;
  }
  auto const glob = scalar(match.reading(), *field.value, field.place, "header", "a glob");
  if (!glob) return;
  if (glob->text.empty()) {
    match.error(glob->place, "header", "must not be empty; `*` is any value");
    return;
  }
  rule.header = field.key;
  rule.value = glob->text;
}

void read_path(Section const& match, SideRule& rule) {
  if (!match.has("path") || !match.needed_text("path", rule.path)) return;
  if (std::string_view("/*?").find(rule.path.front()) == std::string_view::npos) {
    match.error(match.place_of("path"), "path", "a path begins with /, found " + shown(rule.path));
  }
}

void read_most(Section const& match, std::string_view key, std::optional<std::uint64_t>& out) {
  if (std::uint64_t most = 0; match.count(key, most, 1, most_tokens)) out = most;
}

void read_match(Section const& section, SideRule& rule) {
  auto const* const entry = section.find("match");
  if (entry == nullptr) {
    section.reading().findings.error(section.place(), "`match` is missing in a side request");
    return;
  }
  auto const& node = *entry->value;
  if (node.kind != Node::Kind::map || node.entries.empty()) {
    section.error(node.kind == Node::Kind::null ? entry->place : node.place, "match",
                  "expected a map with at least one of header, path, max_tokens, prompt_tokens, "
                  "found " +
                      (node.kind == Node::Kind::map ? "an empty one" : shown(node)));
    return;
  }
  Section const match(section.reading(), entry->value, "match");
  read_header(match, rule);
  read_path(match, rule);
  read_most(match, "max_tokens", rule.max_tokens);
  read_most(match, "prompt_tokens", rule.prompt_tokens);
}

SideRule read_rule(Section const& section, RoutePlaces& where) {
  SideRule rule;
  read_match(section, rule);
  if (!section.has("do")) {
    section.reading().findings.error(section.place(), "`do` is missing in a side request");
  }
  section.choice<SideWork>("do", rule.work,
                           {{"normal", SideWork::normal},
                            {"isolate", SideWork::isolate},
                            {"elsewhere", SideWork::elsewhere},
                            {"no_save", SideWork::no_save}});
  if (rule.work == SideWork::elsewhere) where.elsewhere.push_back(section.place_of("do"));
  return rule;
}

}  // namespace

void read_side_requests(Section const& section, Route& route, RoutePlaces& where) {
  auto const* const entry = section.find("side_requests");
  if (entry == nullptr) return;
  route.side_requests.clear();
  where.elsewhere.clear();
  for (auto const& item : map_items(section.reading(), *entry, Empty::fine)) {
    route.side_requests.push_back(
        read_rule(Section(section.reading(), item, "a side request"), where));
  }
  note(section, "side_requests", !route.side_requests.empty(), where);
}

}  // namespace slotswap::config
