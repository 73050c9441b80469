// A member that is spliced in changes its own bytes and nothing else; a prompt is compared with
// itself and with its beginning.
#include "fuzz/targets.hpp"

#include <slotswap/json/scan.hpp>
#include <slotswap/prompt/divergence.hpp>
#include <slotswap/prompt/prompt.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace slotswap::fuzz {

namespace {

constexpr std::array<std::string_view, 8> paths = {
    "/v1/chat/completions", "/v1/completions", "/completion",    "/v1/messages",
    "/v1/responses",        "/infill",         "/v1/embeddings", "/x"};

std::string without(std::string_view text, std::vector<json::Range> const& ranges) {
  return json::splice(text, ranges, "");
}

void only_it_changed(std::string_view before, std::string const& after, std::string_view name,
                     boost::json::value const& value) {
  boost::json::string_view const key(name.data(), name.size());
  auto const old = json::member_values(before, name);
  if (!old.empty()) {
    auto const now = json::member_values(after, name);
    require(now.size() == old.size(), "as many members as before");
    require(without(before, old) == without(after, now), "the other bytes are as they were");
  } else {
    auto const common =
        static_cast<std::size_t>(std::ranges::mismatch(before, after).in1 - before.begin());
    require(after.size() > before.size(), "something was put in");
    require(after.substr(common + after.size() - before.size()) == before.substr(common),
            "it was put in at one place");
  }
  auto old_members = json::parse(before)->as_object();
  auto const parsed = json::parse(after);
  require(parsed && parsed->is_object(), "it is an object as before");
  auto members = parsed->get_object();
  require(members[key] == value, "the member says what was put in");
  old_members.stable_erase(key);
  members.stable_erase(key);
  // As text: what the parser takes for no number is never equal to itself.
  require(serialize(members) == serialize(old_members), "the other members say the same");
}

void compares(prompt::Prompt const& prompt) {
  auto const same = prompt::compare(prompt, prompt);
  require(same.kind == prompt::Divergence::Kind::same, "a prompt is the same as itself");
  require(!prompt::describe(same).empty(), "there are words for it");
  if (prompt.parts.empty()) return;
  auto shorter = prompt;
  shorter.parts.pop_back();
  require(prompt::compare(shorter, prompt).same_parts == shorter.parts.size(),
          "its beginning is the same");
}

}  // namespace

void bodies(std::string_view input) {
  Input const in(input);
  auto const path = paths[in.option % paths.size()];
  auto const facts = prompt::read(path, in.text);
  if (!facts.readable) return;
  std::string const model = "a \"model\"\\\n\xC3\xA4";
  auto const renamed = prompt::with_model(in.text, model);
  only_it_changed(in.text, renamed, "model", boost::json::value(model));
  auto const read = prompt::read(path, renamed);
  require(read.readable && read.model == model, "the model is the new one");
  require(read.prompt_digest == facts.prompt_digest, "the prompt is the same");
  auto const placed = prompt::with_slot(in.text, in.option);
  only_it_changed(in.text, placed, "id_slot", boost::json::value(std::int64_t{in.option}));
  if (facts.prompt) compares(*facts.prompt);
}

}  // namespace slotswap::fuzz
