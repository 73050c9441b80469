// How a stream is cut changes nothing; it says what a reader of whole texts finds; what we write
// into a stream reads as what it is.
#include "fuzz/targets.hpp"

#include <slotswap/http/sse.hpp>
#include <slotswap/json/scan.hpp>
#include <slotswap/llama/stream.hpp>

#include <array>
#include <vector>

namespace slotswap::fuzz {

namespace {

using http::SseEvent;

constexpr std::size_t small = 64;

bool equal(std::vector<SseEvent> const& a, std::vector<SseEvent> const& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].type != b[i].type || a[i].data != b[i].data || a[i].cut != b[i].cut) return false;
  }
  return true;
}

std::vector<SseEvent> in_pieces(http::SseSplitter& splitter, std::string_view text,
                                std::size_t cut) {
  std::vector<SseEvent> all;
  for (std::size_t at = 0; at < text.size(); at += cut) {
    for (auto& event : splitter.put(text.substr(at, cut))) all.push_back(std::move(event));
  }
  return all;
}

// WHATWG HTML 9.2.6, word for word, over a text that is there as a whole.
std::vector<SseEvent> by_the_book(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<SseEvent> all;
  std::string data;
  std::string type;
  for (auto end = text.find_first_of("\r\n"); end != std::string_view::npos;
       end = text.find_first_of("\r\n")) {
    auto const line = text.substr(0, end);
    text.remove_prefix(text.substr(end).starts_with("\r\n") ? end + 2 : end + 1);
    auto const colon = line.find(':');
    auto const field = line.substr(0, colon);
    auto value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (field == "data") (data += value) += '\n';
    if (field == "event") type = value;
    if (!line.empty()) continue;
    if (!data.empty()) {
      data.pop_back();
      SseEvent event;
      event.type = type;
      event.data = data;
      all.push_back(event);
    }
    data.clear();
    type.clear();
  }
  return all;
}

void our_own_are_read(std::uint8_t option, std::string_view body) {
  using llama::Dialect;
  constexpr std::array dialects = {Dialect::chat, Dialect::plain, Dialect::anthropic};
  auto const dialect = dialects[option % dialects.size()];
  http::SseSplitter splitter;
  auto const read = splitter.put(llama::error_events(dialect, 400 + option, body));
  require(read.size() == (dialect == Dialect::chat ? 2U : 1U), "an error is one event and the end");
  auto const said = json::parse(read.front().data);
  require(said && said->is_object() && said->get_object().contains("error"),
          "an error's event is JSON");
  if (dialect == Dialect::chat) require(read.back().data == "[DONE]", "the end is the end");
}

}  // namespace

void events(std::string_view input) {
  Input const in(input);
  http::SseSplitter whole;
  http::SseSplitter cut;
  auto const at_once = whole.put(in.text);
  require(equal(at_once, in_pieces(cut, in.text, in.cut())), "the cut changes no event");
  require(whole.pending() == cut.pending(), "the cut changes no unfinished line");
  require(equal(at_once, by_the_book(in.text)), "the events are those of the standard");
  http::SseSplitter bounded(small);
  http::SseSplitter bounded_cut(small);
  auto const short_ones = bounded.put(in.text);
  require(equal(short_ones, in_pieces(bounded_cut, in.text, in.cut())), "nor with a limit");
  for (auto const& event : short_ones)
    require(event.data.size() <= small && event.type.size() <= small, "the limit holds");
  our_own_are_read(in.option, in.text);
}

}  // namespace slotswap::fuzz
