#include "fields.hpp"

#include <slotswap/base/text.hpp>
#include <slotswap/json/scan.hpp>
#include <slotswap/llama/tap.hpp>

#include <algorithm>

namespace slotswap::llama {

namespace {

// The last event of /completion holds the whole prompt, as does its body: both are read up to this.
constexpr std::size_t limit = 1024 * 1024;

constexpr std::string_view timings_name = "\"timings\"";
// Quotes inside a JSON string are escaped: this is never generated text.
constexpr std::string_view stop_flag = "\"stop\":true";

constexpr std::string_view proxy_error_start = "proxy error: ";
constexpr std::size_t longest_proxy_error = 256;

std::string media_type(std::string_view content_type) {
  return base::to_lower(base::trim(content_type.substr(0, content_type.find(';'))));
}

bool contains(std::string_view text, std::string_view what) {
  return text.find(what) != std::string_view::npos;
}

}  // namespace

Tap::Tap(std::string_view content_type) : splitter_(limit) {
  auto const type = media_type(content_type);
  if (type == "application/json") mode_ = Mode::json;
  if (type == "text/event-stream") mode_ = Mode::events;
}

void Tap::put(std::string_view bytes) {
  if (mode_ == Mode::events) {
    for (auto const& event : splitter_.put(bytes)) read_event(event);
    return;
  }
  started_ = started_ || !bytes.empty();
  if (mode_ != Mode::json || body_cut_) return;
  body_cut_ = bytes.size() > limit - body_.size();
  if (body_cut_) {
    std::string().swap(body_);
  } else {
    body_ += bytes;
  }
}

Timings Tap::finish() {
  if (contains(body_, timings_name)) read_object(body_);
  std::string().swap(body_);
  return timings_;
}

std::string_view Tap::proxy_error() const {
  // It comes without a line's end, so that it is no event, maybe behind the half of one.
  auto text = std::string_view(body_);
  if (mode_ == Mode::events) text = complete_ ? std::string_view() : splitter_.pending();
  text.remove_prefix(text.size() - std::min(text.size(), longest_proxy_error));
  auto const at = text.rfind(proxy_error_start);
  if (at == std::string_view::npos) return {};
  auto const words = base::trim(text.substr(at));
  // In generated text a quote would follow.
  return words.find_first_of("\"\r\n") == std::string_view::npos ? words : std::string_view();
}

void Tap::read_event(http::SseEvent const& event) {
  started_ = true;
  auto const stopped = contains(event.data, stop_flag);
  if (event.data == "[DONE]" || event.type == "message_stop" || event.type == "response.completed")
    complete_ = true;
  // Of a cut event the flag is all that can be had; it stands before the prompt.
  if (event.cut) complete_ = complete_ || stopped;
  if (!event.cut && (stopped || contains(event.data, timings_name))) read_object(event.data);
}

void Tap::read_object(std::string_view text) {
  auto const parsed = json::parse(text);
  auto const* const object = parsed ? parsed->if_object() : nullptr;
  if (object == nullptr) return;
  if (mode_ == Mode::events && bool_member(*object, "stop").value_or(false)) complete_ = true;
  auto const* timings = object_member(*object, "timings");
  if (timings == nullptr && text_member(*object, "type") == "response.completed") {
    auto const* const response = object_member(*object, "response");
    timings = response != nullptr ? object_member(*response, "timings") : nullptr;
  }
  if (timings == nullptr) return;
  timings_.reused = count_member(*timings, "cache_n");
  timings_.read = count_member(*timings, "prompt_n");
  timings_.predicted = count_member(*timings, "predicted_n");
}

}  // namespace slotswap::llama
