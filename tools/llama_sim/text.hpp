// Texts to tokens and back to answers, always the same ones: the tokens of a text's beginning are
// the beginning of its tokens, up to the word that is cut. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slotswap::llama_sim {

using Tokens = std::vector<std::int32_t>;

/// Words with the blank before them, in pieces of at most eight bytes.
Tokens tokenize(std::string_view text);

/// The chat template of the simulated model.
std::string render(boost::json::object const& request);

/// The n-th word that is generated after a prompt, with its token.
std::string generated_word(std::uint64_t seed, std::int64_t index);
std::uint64_t seed_of(Tokens const& prompt);

std::size_t common_prefix(Tokens const& a, Tokens const& b);

}  // namespace slotswap::llama_sim
