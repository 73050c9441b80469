#include "llama_sim/text.hpp"

#include <algorithm>
#include <array>

namespace slotswap::llama_sim {

namespace json = boost::json;

namespace {

constexpr std::size_t longest_piece = 8;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9E3779B97F4A7C15ULL + (hash << 6U) + (hash >> 2U);
  return hash * 0xBF58476D1CE4E5B9ULL;
}

std::int32_t token_of(std::string_view piece) {
  std::uint64_t hash = 7;
  for (char const c : piece) hash = mix(hash, static_cast<unsigned char>(c));
  return static_cast<std::int32_t>(hash % 1'000'003U);
}

std::string text_of(json::value const* content) {
  if (content == nullptr) return {};
  if (auto const* text = content->if_string()) return std::string(*text);
  std::string joined;
  if (auto const* items = content->if_array()) {
    for (auto const& item : *items) {
      auto const* object = item.if_object();
      auto const* text = object != nullptr ? object->if_contains("text") : nullptr;
      if (text != nullptr && text->is_string()) joined += text->get_string();
    }
  }
  return joined;
}

}  // namespace

Tokens tokenize(std::string_view text) {
  Tokens tokens;
  std::size_t start = 0;
  for (std::size_t i = 1; i <= text.size(); ++i) {
    auto const ends = i == text.size() || text[i] == ' ' || i - start == longest_piece;
    if (!ends) continue;
    tokens.push_back(token_of(text.substr(start, i - start)));
    start = i;
  }
  return tokens;
}

std::string render(json::object const& request) {
  std::string text;
  if (auto const* system = request.if_contains("system"))
    text += "<|system|>" + text_of(system) + " ";
  auto const* messages = request.if_contains("messages");
  if (messages == nullptr || !messages->is_array()) return text_of(request.if_contains("prompt"));
  for (auto const& message : messages->get_array()) {
    auto const* object = message.if_object();
    if (object == nullptr) continue;
    text += "<|" + text_of(object->if_contains("role")) + "|>" +
            text_of(object->if_contains("content")) + " ";
  }
  return text + "<|assistant|>";
}

std::uint64_t seed_of(Tokens const& prompt) {
  std::uint64_t seed = 1;
  for (auto const token : prompt) seed = mix(seed, static_cast<std::uint64_t>(token));
  return seed;
}

std::string generated_word(std::uint64_t seed, std::int64_t index) {
  static constexpr std::array<char const*, 8> syllables = {"ka", "lo", "mi", "ne",
                                                           "ra", "su", "to", "vi"};
  auto hash = mix(seed, static_cast<std::uint64_t>(index));
  std::string word = index == 0 ? "" : " ";
  for (int i = 0; i < 3; ++i) {
    word += syllables[hash % syllables.size()];
    hash /= syllables.size();
  }
  return word;
}

std::size_t common_prefix(Tokens const& a, Tokens const& b) {
  auto const shorter = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
  auto const place = std::mismatch(a.begin(), a.begin() + shorter, b.begin());
  return static_cast<std::size_t>(place.first - a.begin());
}

}  // namespace slotswap::llama_sim
