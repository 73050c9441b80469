#include "fields.hpp"

#include <slotswap/json/scan.hpp>
#include <slotswap/llama/facts.hpp>

#include <boost/json/serialize.hpp>

#include <unordered_set>

namespace slotswap::llama {

namespace {

std::string_view part(std::string_view text, json::Range range) {
  return text.substr(range.begin, range.end - range.begin);
}

// The texts of one of a list answer's arrays, cut out of the answer so that they stay as they came.
std::vector<std::string_view> entries(std::string_view body, std::string_view list) {
  std::vector<std::string_view> out;
  auto const values = json::member_values(body, list);
  if (values.empty()) return out;
  auto const array = part(body, values.back());
  for (auto const range : json::elements(array)) out.push_back(part(array, range));
  return out;
}

std::optional<std::string> name_of(std::string_view entry) {
  auto const parsed = json::parse(entry);
  auto const* const object = parsed ? parsed->if_object() : nullptr;
  if (object == nullptr) return std::nullopt;
  for (auto const* const name : {"id", "name", "model"}) {
    if (auto text = text_member(*object, name)) return text;
  }
  return std::nullopt;
}

std::string merged(std::vector<std::string> const& bodies, std::string_view list) {
  std::string out;
  std::unordered_set<std::string> seen;
  for (auto const& body : bodies) {
    for (auto const entry : entries(body, list)) {
      auto const name = name_of(entry);
      if (name && !seen.insert(*name).second) continue;
      if (!out.empty()) out += ',';
      out += entry;
    }
  }
  return '[' + out + ']';
}

base::Result<boost::json::value> parse_list(std::string_view body) {
  auto parsed = parse_answer(body, "/v1/models");
  if (!parsed) return parsed;
  auto const* const object = parsed->if_object();
  if (object == nullptr || array_member(*object, "data") == nullptr)
    return bad_answer("/v1/models has no data list");
  return parsed;
}

}  // namespace

base::Result<std::vector<std::string>> read_model_ids(std::string_view body) {
  auto const parsed = parse_list(body);
  if (!parsed) return parsed.error();
  std::vector<std::string> ids;
  for (auto const& item : parsed->at("data").get_array()) {
    auto const* const model = item.if_object();
    auto id = model != nullptr ? text_member(*model, "id") : std::nullopt;
    if (id) ids.push_back(*std::move(id));
  }
  return ids;
}

namespace {

// `wanted` empty: the first one.
base::Result<Model> find_model(std::string_view body, std::string_view wanted) {
  auto const parsed = parse_list(body);
  if (!parsed) return parsed.error();
  for (auto const& item : parsed->at("data").get_array()) {
    auto const* const entry = item.if_object();
    auto id = entry != nullptr ? text_member(*entry, "id") : std::nullopt;
    if (!id || (!wanted.empty() && *id != wanted)) continue;
    Model model;
    model.id = *std::move(id);
    if (auto const* const meta = object_member(*entry, "meta")) {
      model.meta.n_params = count_member(*meta, "n_params").value_or(0);
      model.meta.size = count_member(*meta, "size").value_or(0);
      model.meta.n_vocab = count_member(*meta, "n_vocab").value_or(0);
      model.meta.n_embd = count_member(*meta, "n_embd").value_or(0);
      model.meta.ftype = text_member(*meta, "ftype").value_or("");
    }
    return model;
  }
  return bad_answer(wanted.empty() ? "/v1/models names no model"
                                   : "/v1/models does not name " + std::string(wanted));
}

}  // namespace

base::Result<Model> read_first_model(std::string_view body) {
  return find_model(body, "");
}

base::Result<Model> read_model(std::string_view body, std::string_view id) {
  return find_model(body, id);
}

base::Result<std::string> read_adapters(std::string_view body) {
  auto const parsed = parse_answer(body, "/lora-adapters");
  if (!parsed) return parsed.error();
  auto const* const items = parsed->if_array();
  if (items == nullptr) return bad_answer("/lora-adapters is no JSON array");
  boost::json::array adapters;
  for (auto const& item : *items) {
    auto const* const adapter = item.if_object();
    if (adapter == nullptr) return bad_answer("/lora-adapters has an adapter that is no object");
    auto const* const scale = adapter->if_contains("scale");
    adapters.emplace_back(boost::json::array{text_member(*adapter, "path").value_or(""),
                                             scale != nullptr ? *scale : boost::json::value()});
  }
  return adapters.empty() ? std::string() : boost::json::serialize(adapters);
}

base::Result<std::string> merge_models(std::vector<std::string> const& bodies) {
  auto ollama_list = false;
  for (auto const& body : bodies) {
    auto const parsed = parse_list(body);
    if (!parsed) return parsed.error();
    ollama_list = ollama_list || array_member(parsed->get_object(), "models") != nullptr;
  }
  auto out = std::string("{");
  // A single llama-server lists its model a second time in Ollama's form; a router does not.
  if (ollama_list) out += "\"models\":" + merged(bodies, "models") + ',';
  return out + "\"object\":\"list\",\"data\":" + merged(bodies, "data") + '}';
}

}  // namespace slotswap::llama
