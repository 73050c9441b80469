// The first byte chooses what is read and how it is cut; the rest is the message. Traps when
// cutting changes what is seen. A trap, not an exception or an assert: libFuzzer keeps the input
// that led to it.
#include "http/feeding.hpp"

#include <slotswap/http/path.hpp>
#include <slotswap/http/sse.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace {

namespace http = slotswap::http;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void splits_the_same(std::string_view text, std::size_t cut) {
  http::SseSplitter at_once(64);
  http::SseSplitter in_pieces(64);
  auto const events = at_once.put(text);
  std::size_t seen = 0;
  for (std::size_t at = 0; at < text.size(); at += cut) {
    for (auto const& event : in_pieces.put(text.substr(at, cut))) {
      require(seen < events.size());
      require(events[seen].data == event.data && events[seen].type == event.type);
      ++seen;
    }
  }
  require(seen == events.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view const text(reinterpret_cast<char const*>(data) + 1, size - 1);
  auto const cut = std::size_t{1} + data[0] % 16U;
  auto const by_cut = http::testing::by(cut);
  switch (data[0] >> 6U) {
    case 0:
      require(http::testing::feed_request(text) == http::testing::feed_request(text, by_cut));
      break;
    case 1:
    case 2: {
      auto const to_head = data[0] >> 6U == 2U;
      require(http::testing::feed_response(text, http::testing::whole(), to_head) ==
              http::testing::feed_response(text, by_cut, to_head));
      break;
    }
    default:
      splits_the_same(text, cut);
      require(http::split_target(http::encode_component(text)).path == text);
      break;
  }
  return 0;
}
