#include "asked.hpp"

#include <slotswap/base/text.hpp>
#include <slotswap/json/scan.hpp>
#include <slotswap/prompt/prompt.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace slotswap::prompt {

namespace {

namespace bj = boost::json;

constexpr std::size_t digest_digits = 16;

std::string to_text(bj::string const& text) {
  return {text.data(), text.size()};
}

std::string text_member(bj::object const& object, std::string_view name) {
  auto const* const member = object.if_contains(bj::string_view(name.data(), name.size()));
  auto const* const text = member != nullptr ? member->if_string() : nullptr;
  return text != nullptr ? to_text(*text) : std::string();
}

// A string's text, or the texts of a content list.
std::string content_text(bj::value const& content) {
  if (auto const* const text = content.if_string()) return to_text(*text);
  std::string joined;
  if (auto const* const items = content.if_array()) {
    for (auto const& item : *items) {
      if (auto const* const object = item.if_object()) joined += text_member(*object, "text");
    }
  }
  return joined;
}

std::optional<Prompt> read_messages(bj::object const& body, bool with_system) {
  auto const* const member = body.if_contains("messages");
  auto const* const messages = member != nullptr ? member->if_array() : nullptr;
  if (messages == nullptr) return std::nullopt;
  Prompt prompt;
  auto const* const system = with_system ? body.if_contains("system") : nullptr;
  if (system != nullptr && (system->is_string() || system->is_array())) {
    prompt.parts.emplace_back("system", content_text(*system));
  }
  for (auto const& item : *messages) {
    auto const* const message = item.if_object();
    if (message == nullptr) continue;
    auto const* const content = message->if_contains("content");
    prompt.parts.emplace_back(text_member(*message, "role"),
                              content != nullptr ? content_text(*content) : std::string());
  }
  return prompt;
}

std::optional<Prompt> read_prompt(bj::object const& body) {
  auto const* const member = body.if_contains("prompt");
  if (member == nullptr) return std::nullopt;
  Prompt prompt;
  if (auto const* const text = member->if_string()) prompt.parts.emplace_back("", to_text(*text));
  if (auto const* const list = member->if_array()) {
    for (auto const& item : *list) {
      if (auto const* const text = item.if_string()) prompt.parts.emplace_back("", to_text(*text));
    }
  }
  // Token lists say nothing that could be compared as text.
  return prompt.parts.empty() ? std::nullopt : std::optional(std::move(prompt));
}

bool is_one_of(std::string_view path, std::initializer_list<std::string_view> paths) {
  return std::find(paths.begin(), paths.end(), path) != paths.end();
}

std::optional<Prompt> read_any(std::string_view path, bj::object const& body) {
  if (is_one_of(path, {"/v1/chat/completions", "/chat/completions"}))
    return read_messages(body, false);
  if (path == "/v1/messages") return read_messages(body, true);
  if (is_one_of(path, {"/v1/completions", "/completions", "/completion", "/infill"}))
    return read_prompt(body);
  return std::nullopt;
}

// Part after part, so that no copy of the whole prompt is made.
std::string digest_of(Prompt const& prompt) {
  std::string digest;
  for (auto const& part : prompt.parts) {
    digest += std::to_string(part.role.size()) + " " + part.role + " " + part.text;
    digest = base::sha256_hex(digest);
  }
  return digest.substr(0, digest_digits);
}

// The body with every member of this name replaced, as the last one counts; or with one before the
// others.
std::string with_member(std::string_view body, std::string_view name, std::string const& value) {
  auto const places = json::member_values(body, name);
  if (!places.empty()) return json::splice(body, places, value);
  auto const brace = body.find('{');
  if (brace == std::string_view::npos) return std::string(body);
  auto const next = body.find_first_not_of(" \t\r\n", brace + 1);
  auto const empty = next != std::string_view::npos && body[next] == '}';
  return json::splice(body, {{brace + 1, brace + 1}},
                      json::quote(name) + ":" + value + (empty ? "" : ","));
}

}  // namespace

std::size_t Prompt::bytes() const {
  std::size_t sum = 0;
  for (auto const& part : parts) sum += sizeof(Part) + part.role.size() + part.text.size();
  return sum;
}

RequestFacts read(std::string_view path, std::string_view body) {
  RequestFacts facts;
  auto const value = json::parse(body);
  auto const* const object = value ? value->if_object() : nullptr;
  if (object == nullptr) return facts;
  facts.readable = true;
  auto const* const model = object->if_contains("model");
  if (model != nullptr && model->is_string()) facts.model = to_text(model->get_string());
  auto const* const stream = object->if_contains("stream");
  facts.stream = stream != nullptr && stream->is_bool() && stream->get_bool();
  facts.prompt = read_any(path, *object);
  if (facts.prompt) facts.prompt_digest = digest_of(*facts.prompt);
  read_asked(path, *object, facts);
  facts.estimated_tokens = estimate_tokens(*object);
  return facts;
}

std::string with_model(std::string_view body, std::string_view model) {
  return with_member(body, "model", json::quote(model));
}

std::string with_slot(std::string_view body, int slot) {
  return with_member(body, "id_slot", std::to_string(slot));
}

}  // namespace slotswap::prompt
