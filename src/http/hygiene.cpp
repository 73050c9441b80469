#include <slotswap/http/hygiene.hpp>

#include <array>
#include <cassert>
#include <charconv>
#include <vector>

namespace slotswap::http {

void strip_hop_by_hop(Fields& fields) {
  // Copies: erasing moves the values that the views would point into.
  std::vector<std::string> listed;
  for (auto const value : fields.all("Connection")) {
    for (auto const token : list_tokens(value)) listed.emplace_back(token);
  }
  for (auto const& name : listed) fields.erase(name);
  static constexpr std::array<std::string_view, 10> of_one_hop = {"Connection",
                                                                  "Keep-Alive",
                                                                  "Proxy-Connection",
                                                                  "Proxy-Authenticate",
                                                                  "Upgrade",
                                                                  "Transfer-Encoding",
                                                                  "TE",
                                                                  "Proxy-Authorization",
                                                                  "Trailer",
                                                                  "Content-Length"};
  for (auto const name : of_one_hop) fields.erase(name);
}

void append_chunk(std::string& out, std::string_view piece) {
  assert(!piece.empty());
  if (piece.empty()) return;
  std::array<char, 16> digits{};
  auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), piece.size(), 16);
  out.append(digits.data(), end.ptr);
  out += "\r\n";
  out += piece;
  out += "\r\n";
}

}  // namespace slotswap::http
