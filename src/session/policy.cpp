#include <slotswap/base/text.hpp>
#include <slotswap/session/policy.hpp>

#include <algorithm>
#include <string>

namespace slotswap::session {

namespace {

using config::SideWork;

std::optional<SideWork> work_of(std::string_view word) {
  if (base::equals_ignoring_case(word, "keep")) return SideWork::normal;
  if (base::equals_ignoring_case(word, "no-save")) return SideWork::no_save;
  if (base::equals_ignoring_case(word, "isolate")) return SideWork::isolate;
  return std::nullopt;
}

base::Fault bad_policy(std::string const& what) {
  return base::Fault(base::Side::client, "bad_slot_policy",
                     "X-Slot-Policy: " + what + "; send keep, no-save or isolate");
}

bool at_most(std::optional<std::uint64_t> const& value, std::optional<std::uint64_t> const& limit) {
  return !limit || (value && *value <= *limit);
}

bool matches(config::SideRule const& rule, http::Fields const& fields, std::string_view path,
             prompt::RequestFacts const& facts) {
  auto const values = fields.all(rule.header);
  auto const named =
      rule.header.empty() || std::any_of(values.begin(), values.end(), [&](std::string_view value) {
        return base::glob_match(rule.value, value);
      });
  return named && (rule.path.empty() || base::glob_match(rule.path, path)) &&
         at_most(facts.max_tokens, rule.max_tokens) &&
         at_most(facts.estimated_tokens, rule.prompt_tokens);
}

}  // namespace

base::Result<std::optional<SideWork>> client_policy(std::vector<std::string_view> const& values) {
  std::optional<SideWork> wish;
  for (auto const value : values) {
    auto const word = base::trim(value);
    if (word.empty()) continue;
    auto const work = work_of(word);
    if (!work) return bad_policy("'" + std::string(word) + "' is not known");
    if (wish && wish != work) return bad_policy("it is there twice, with different values");
    wish = work;
  }
  return wish;
}

std::optional<SideWork> side_work(std::vector<config::SideRule> const& rules,
                                  http::Fields const& fields, std::string_view path,
                                  prompt::RequestFacts const& facts) {
  for (auto const& rule : rules) {
    if (matches(rule, fields, path, facts)) return rule.work;
  }
  return std::nullopt;
}

}  // namespace slotswap::session
