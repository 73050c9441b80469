#include "llama_sim/slot_file.hpp"

#include <cstring>
#include <fstream>
#include <iterator>

namespace slotswap::llama_sim {

namespace {

constexpr std::uint32_t magic = 0x67677371;
constexpr std::uint32_t version = 4;

void put(std::string& out, std::uint32_t word) {
  for (unsigned shift = 0; shift < 32; shift += 8)
    out += static_cast<char>((word >> shift) & 0xFFU);
}

std::uint32_t get(std::string const& in, std::size_t word) {
  std::uint32_t value = 0;
  std::memcpy(&value, in.data() + word * 4, 4);
  return value;
}

}  // namespace

std::uint64_t write_slot_file(std::string const& path, Tokens const& tokens,
                              std::uint64_t bytes_per_token) {
  std::string text;
  put(text, magic);
  put(text, version);
  put(text, static_cast<std::uint32_t>(tokens.size() + 4));
  put(text, static_cast<std::uint32_t>(-1));
  put(text, 1);
  put(text, static_cast<std::uint32_t>(tokens.size()));
  for (auto const token : tokens) put(text, static_cast<std::uint32_t>(token));
  put(text, 0);  // media
  put(text, 1);  // streams
  put(text, static_cast<std::uint32_t>(tokens.size() * bytes_per_token));
  for (auto const token : tokens) text.append(bytes_per_token, static_cast<char>(token & 0x7F));
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  return file.good() ? text.size() : 0;
}

SlotFile read_slot_file(std::string const& path) {
  SlotFile result;
  std::ifstream file(path, std::ios::binary);
  std::string const text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (text.size() < 36 || get(text, 0) != magic || get(text, 1) != version) return result;
  std::size_t const count = get(text, 5);
  std::size_t const head = (6 + count) * 4 + 12;
  if (text.size() < head) return result;
  for (std::size_t i = 0; i < count; ++i)
    result.tokens.push_back(static_cast<std::int32_t>(get(text, 6 + i)));
  result.payload = get(text, 8 + count);
  if (text.size() < head + result.payload) {
    auto const fatal = text.size() - head >= result.payload / 2;
    result.kind = fatal ? SlotFile::Kind::fatal : SlotFile::Kind::refused;
    return result;
  }
  result.bytes = head + result.payload;
  result.kind = SlotFile::Kind::fine;
  return result;
}

}  // namespace slotswap::llama_sim
