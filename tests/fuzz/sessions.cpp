// Whatever a client calls its session, the names of its files are safe and read back as they were.
#include "fuzz/targets.hpp"

#include <slotswap/base/text.hpp>
#include <slotswap/session/policy.hpp>
#include <slotswap/session/session.hpp>
#include <slotswap/store/state.hpp>

#include <algorithm>
#include <vector>

namespace slotswap::fuzz {

namespace {

std::vector<std::string_view> lines(std::string_view text) {
  std::vector<std::string_view> all;
  while (all.size() < 8) {
    auto const end = text.find('\n');
    all.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return all;
}

bool is_safe(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '-';
}

void names_are_safe(std::string_view model, std::string_view id, std::uint64_t generation) {
  store::StateKey const key(session::model_tag(model), session::state_id(id));
  require(base::is_hex32(key.id), "an id is 32 digits");
  require(session::state_id(id, "tenant") != key.id, "a tenant's id is another one");
  require(key.tag.size() <= 49 && std::ranges::all_of(key.tag, is_safe), "a tag is safe and short");
  auto const data = store::data_name(key, generation);
  auto const read = store::parse_data_name(data);
  require(read && read->key == key && read->generation == generation, "a data name reads back");
  require(store::parse_manifest_name(store::manifest_name(key)) == key, "so does a manifest's");
  require(!store::parse_manifest_name(data) && !store::parse_data_name(store::manifest_name(key)),
          "and they are never taken for one another");
}

void foreign_names(std::string_view name) {
  if (auto const data = store::parse_data_name(name))
    require(store::data_name(data->key, data->generation) == name, "one name has one spelling");
  if (auto const key = store::parse_manifest_name(name))
    require(store::manifest_name(*key) == name, "so has a manifest's");
}

void rules(std::vector<std::string_view> const& parts) {
  config::SideRule rule;
  rule.header = "User-Agent";
  rule.value = parts.front();
  rule.path = parts.back();
  rule.work = config::SideWork::isolate;
  http::Fields fields;
  for (auto const part : parts) fields.add("user-agent", std::string(part));
  prompt::RequestFacts const nothing;
  session::side_work({rule}, fields, parts.back(), nothing);
  rule.value = "*";
  rule.path = "*";
  require(session::side_work({rule}, fields, parts.back(), nothing) == rule.work, "* is any");
}

}  // namespace

void sessions(std::string_view input) {
  Input const in(input);
  auto const parts = lines(in.text);
  auto const id = session::client_id(parts);
  if (id && *id) {
    require(!(*id)->empty() && base::trim(**id) == **id, "an id has no blanks around");
    require(session::client_id({**id, **id})->value() == **id, "an id that comes twice is one");
    require(session::state_id(**id) != session::anonymous_id(parts.back()),
            "nobody's is no client's");
  }
  session::client_policy(parts);
  names_are_safe(parts.front(), parts.back(), in.option * 0x0101'0101'0101'0101ULL);
  for (auto const part : parts) foreign_names(part);
  rules(parts);
}

}  // namespace slotswap::fuzz
