// What a server says of itself, its slots and its models: numbers in range, lists that merge.
#include "fuzz/targets.hpp"

#include <slotswap/base/utf8.hpp>
#include <slotswap/llama/facts.hpp>
#include <slotswap/llama/router.hpp>

#include <algorithm>
#include <unordered_set>

namespace slotswap::fuzz {

namespace {

void slots(std::string_view text) {
  if (auto const props = llama::read_props(text))
    require(props->total_slots >= 0 && props->n_ctx >= 0, "counts are none below zero");
  if (auto const looks = llama::read_slots(text)) {
    for (auto const& look : *looks)
      require(look.id >= 0 && look.tokens.value_or(0) >= 0, "a slot has a number");
  }
  if (auto const saved = llama::read_saved(text))
    require(saved->tokens >= 0 && saved->bytes >= 0, "a save has counts");
  if (auto const restored = llama::read_restored(text))
    require(restored->tokens >= 0 && restored->bytes >= 0, "a restore has counts");
  if (auto const erased = llama::read_erased(text)) require(*erased >= 0, "an erase has a count");
  llama::read_adapters(text);
}

void words(std::string_view text) {
  auto const message = llama::error_message(text);
  auto const valid = base::first_invalid_utf8(text) == text.size();
  if (valid)
    require(base::first_invalid_utf8(message) == message.size(), "a message is cut at characters");
  for (auto const status : {200, 400, 401, 501, 503}) llama::read_probe(status, text);
}

void models(std::string_view text) {
  auto const ids = llama::read_model_ids(text);
  auto const merged = llama::merge_models({std::string(text), std::string(text)});
  require(ids.has_value() == merged.has_value(), "a list that is read can be merged");
  if (!merged) return;
  auto const together = llama::read_model_ids(*merged);
  require(together.has_value(), "a merged list is a list");
  std::unordered_set<std::string> seen;
  for (auto const& id : *together) {
    require(seen.insert(id).second, "each model is in it once");
    require(std::ranges::find(*ids, id) != ids->end(), "and none that was in neither");
  }
  require(ids->empty() == together->empty(), "and none is lost");
  if (auto const first = llama::read_first_model(text))
    require(first->id == ids->front() && llama::read_model(text, first->id)->id == first->id,
            "the first is the first");
}

void router(std::string_view text) {
  if (auto const models = llama::read_router_models(text)) {
    for (auto const& model : *models) {
      require(!model.id.empty(), "a model has a name");
      require(!model.sleep || *model.sleep >= base::Duration::zero(), "no time is below zero");
      require(!model.stop || *model.stop >= base::Duration::zero(), "nor is this one");
    }
  }
  llama::read_model_event(text);
}

}  // namespace

void facts(std::string_view input) {
  Input const in(input);
  slots(in.text);
  words(in.text);
  models(in.text);
  router(in.text);
}

}  // namespace slotswap::fuzz
