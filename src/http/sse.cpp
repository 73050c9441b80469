#include <slotswap/http/sse.hpp>

#include <algorithm>
#include <utility>

namespace slotswap::http {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// Appends as much as the limit leaves room for; false when something was left out.
bool append_bounded(std::string& out, std::string_view text, std::size_t limit) {
  auto const room = limit - std::min(limit, out.size());
  out += text.substr(0, room);
  return text.size() <= room;
}

}  // namespace

std::vector<SseEvent> SseSplitter::put(std::string_view bytes) {
  std::vector<SseEvent> out;
  while (!bytes.empty()) {
    // The LF of a CRLF whose CR has ended the line already, maybe in the put before.
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    auto const end = bytes.find_first_of("\r\n");
    if (!append_bounded(line_, bytes.substr(0, end), limit_)) line_cut_ = true;
    if (end == std::string_view::npos) break;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    end_line(out);
  }
  return out;
}

void SseSplitter::end_line(std::vector<SseEvent>& out) {
  std::string_view line = line_;
  if (!std::exchange(started_, true) && line.starts_with(byte_order_mark)) {
    line.remove_prefix(byte_order_mark.size());
  }
  if (line.empty()) {
    auto event = std::exchange(event_, SseEvent{});
    if (std::exchange(has_data_, false)) out.push_back(std::move(event));
  } else {
    auto const colon = line.find(':');
    auto const name = line.substr(0, colon);
    auto value = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (name == "data") {
      auto whole = !has_data_ || append_bounded(event_.data, "\n", limit_);
      whole = append_bounded(event_.data, value, limit_) && whole && !line_cut_;
      event_.cut = event_.cut || !whole;
      has_data_ = true;
    } else if (name == "event") {
      event_.type = value;
      event_.cut = event_.cut || line_cut_;
    }
  }
  line_.clear();
  line_cut_ = false;
}

}  // namespace slotswap::http
