// Bytes as text files of tests write them: \\ \r \n \t and \xHH.
#pragma once

#include <string>
#include <string_view>

namespace slotswap::test {

// with_repeats: also \*N;c, N times the character c.
enum class Escapes { plain, with_repeats };

// Throws std::runtime_error for any other escape, and for a \x without two digits.
std::string unescaped(std::string_view text, Escapes known = Escapes::plain);

}  // namespace slotswap::test
