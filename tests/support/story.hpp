// Prompts that can be told apart.
#pragma once

#include <string>

namespace slotswap::test {

// A text of `words` words that no other name gives.
inline std::string story(std::string const& name, int words) {
  std::string text;
  for (int i = 0; i < words; ++i) text += name + std::to_string(i) + " ";
  return text;
}

}  // namespace slotswap::test
