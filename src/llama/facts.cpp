#include "fields.hpp"

#include <slotswap/base/text.hpp>
#include <slotswap/base/utf8.hpp>
#include <slotswap/llama/facts.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace slotswap::llama {

namespace bj = boost::json;

namespace {

constexpr std::size_t shown_bytes = 200;

base::Result<bj::object> parse_object(std::string_view body, std::string_view what) {
  auto parsed = parse_answer(body, what);
  if (!parsed) return parsed.error();
  if (!parsed->is_object()) return bad_answer(std::string(what) + " is no JSON object");
  return std::move(parsed->get_object());
}

std::optional<int> small_count(bj::object const& object, std::string_view name) {
  auto const count = count_member(object, name);
  if (!count || *count > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*count);
}

// A slot call's two numbers.
base::Result<std::pair<std::int64_t, std::int64_t>> read_pair(std::string_view body,
                                                              std::string_view what,
                                                              std::string_view tokens,
                                                              std::string_view bytes) {
  auto const object = parse_object(body, what);
  if (!object) return object.error();
  auto const first = count_member(*object, tokens);
  auto const second = count_member(*object, bytes);
  if (!first) return bad_answer(std::string(what) + " has no " + std::string(tokens));
  if (!second) return bad_answer(std::string(what) + " has no " + std::string(bytes));
  return std::pair(*first, *second);
}

// The beginning, cut between characters.
std::string beginning(std::string_view text) {
  if (text.size() <= shown_bytes) return std::string(text);
  std::size_t end = 0;
  for (;;) {
    auto const step = std::max<std::size_t>(base::first_code_point(text.substr(end)).size, 1);
    if (end + step > shown_bytes) return std::string(text.substr(0, end)) + "...";
    end += step;
  }
}

}  // namespace

base::Result<Props> read_props(std::string_view body) {
  auto const object = parse_object(body, "/props");
  if (!object) return object.error();
  Props props;
  props.router = text_member(*object, "role") == "router";
  props.max_instances = small_count(*object, "max_instances");
  props.autoload = bool_member(*object, "models_autoload").value_or(true);
  props.total_slots = small_count(*object, "total_slots").value_or(0);
  if (auto const* const settings = object_member(*object, "default_generation_settings")) {
    props.n_ctx = count_member(*settings, "n_ctx").value_or(0);
  }
  props.sleeping = bool_member(*object, "is_sleeping").value_or(false);
  props.model_path = text_member(*object, "model_path").value_or("");
  props.model_alias = text_member(*object, "model_alias").value_or("");
  props.media_marker = text_member(*object, "media_marker").value_or("");
  props.build = text_member(*object, "build_info").value_or("");
  return props;
}

base::Result<std::vector<SlotLook>> read_slots(std::string_view body) {
  auto const parsed = parse_answer(body, "/slots");
  if (!parsed) return parsed.error();
  auto const* const items = parsed->if_array();
  if (items == nullptr) return bad_answer("/slots is no JSON array");
  std::vector<SlotLook> looks;
  for (auto const& item : *items) {
    auto const* const slot = item.if_object();
    auto const id = slot != nullptr ? small_count(*slot, "id") : std::nullopt;
    auto const busy = slot != nullptr ? bool_member(*slot, "is_processing") : std::nullopt;
    if (!id || !busy) return bad_answer("/slots has a slot without id or is_processing");
    SlotLook look;
    look.id = *id;
    look.busy = *busy;
    look.task = count_member(*slot, "id_task");
    look.tokens = count_member(*slot, "n_prompt_tokens");
    looks.push_back(look);
  }
  return looks;
}

base::Result<Saved> read_saved(std::string_view body) {
  auto const pair = read_pair(body, "the save", "n_saved", "n_written");
  if (!pair) return pair.error();
  return Saved{pair->first, pair->second};
}

base::Result<Restored> read_restored(std::string_view body) {
  auto const pair = read_pair(body, "the restore", "n_restored", "n_read");
  if (!pair) return pair.error();
  return Restored{pair->first, pair->second};
}

base::Result<std::int64_t> read_erased(std::string_view body) {
  auto const object = parse_object(body, "the erase");
  if (!object) return object.error();
  auto const count = count_member(*object, "n_erased");
  if (!count) return bad_answer("the erase has no n_erased");
  return *count;
}

std::string error_message(std::string_view body) {
  if (auto const object = parse_object(body, "the error")) {
    auto const* const error = object_member(*object, "error");
    auto message =
        error != nullptr ? text_member(*error, "message") : text_member(*object, "error");
    if (message) return *std::move(message);
  }
  auto const text = base::trim(body);
  return text.empty() ? "an empty answer" : beginning(text);
}

Probe read_probe(int status, std::string_view body) {
  switch (status) {
    case 400:
      return error_message(body).find("Invalid action") != std::string::npos ? Probe::swappable
                                                                             : Probe::unknown;
    case 401:
    case 403:
      return Probe::refused_key;
    case 501:
      return Probe::no_save_path;
    case 503:
      return Probe::loading;
    default:
      return Probe::unknown;
  }
}

}  // namespace slotswap::llama
