#include <slotswap/http/path.hpp>
#include <slotswap/llama/paths.hpp>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

namespace slotswap::llama {

namespace {

struct Canonical {
  std::string path;
  bool had_dots = false;
};

// The path without empty segments and with dot segments taken out (RFC 3986, 5.2.4): what a server
// that normalises, or a proxy before it, would make of it.
Canonical canonical(std::string_view path) {
  Canonical out;
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    auto const end = std::min(path.find('/'), path.size());
    auto const segment = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (segment == "." || segment == "..") {
      out.had_dots = true;
      if (segment == ".." && !segments.empty()) segments.pop_back();
    } else if (!segment.empty()) {
      segments.push_back(segment);
    }
  }
  for (auto const segment : segments) (out.path += '/') += segment;
  return out;
}

bool is_one_of(std::string_view path, std::initializer_list<std::string_view> paths) {
  return std::find(paths.begin(), paths.end(), path) != paths.end();
}

bool is_or_under(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

bool changes_slots(std::string_view path) {
  return is_or_under(path, "/slots") || is_or_under(path, "/lora-adapters");
}

bool takes_prompt(std::string_view path) {
  return is_one_of(
      path, {"/completion", "/completions", "/v1/completions", "/chat/completions",
             "/v1/chat/completions", "/responses", "/v1/responses", "/v1/messages", "/infill"});
}

bool is_slot_free(std::string_view path) {
  return is_one_of(path, {"/tokenize", "/detokenize", "/apply-template",
                          "/v1/messages/count_tokens", "/v1/chat/completions/control",
                          "/v1/streams/lookup", "/models/load", "/models/unload", "/props",
                          "/responses/input_tokens", "/v1/responses/input_tokens",
                          "/chat/completions/input_tokens", "/v1/chat/completions/input_tokens"}) ||
         is_or_under(path, "/v1/stream");
}

}  // namespace

Work classify(std::string_view method, std::string_view path) {
  if (method != "POST") return Work::none;
  auto const [clean, had_dots] = canonical(path);
  if (changes_slots(clean)) return Work::refused;
  if (takes_prompt(clean)) return Work::slot;
  // With dots it depends on who reads the path: the lease is safe either way.
  return is_slot_free(clean) && !had_dots ? Work::none : Work::other;
}

bool heeds_id_slot(std::string_view path) {
  auto const clean = canonical(path).path;
  // Of /infill it was not seen.
  return takes_prompt(clean) && clean != "/v1/messages" && clean != "/infill";
}

RouterWork router_work(std::string_view method, std::string_view path) {
  auto const clean = canonical(path).path;
  if (method == "POST") {
    if (clean == "/models/load") return RouterWork::load;
    if (clean == "/models/unload") return RouterWork::unload;
    return RouterWork::model;
  }
  if (method != "GET" && method != "HEAD") return RouterWork::none;
  auto const own = is_or_under(clean, "/models") ||
                   is_one_of(clean, {"/v1/models", "/health", "/v1/health", ""});
  return own ? RouterWork::none : RouterWork::model;
}

bool may_load(std::string_view query) {
  auto const value = http::query_value(query, "autoload");
  return value != "false" && value != "0";
}

}  // namespace slotswap::llama
