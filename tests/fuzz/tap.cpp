// How an answer is cut changes nothing that is read of it, and generated text never fools the
// reader.
#include "fuzz/targets.hpp"

#include <slotswap/json/scan.hpp>
#include <slotswap/llama/tap.hpp>

#include <array>
#include <tuple>

namespace slotswap::fuzz {

namespace {

constexpr std::array<std::string_view, 4> types = {
    "application/json", "text/event-stream", "TEXT/Event-Stream; charset=utf-8", "text/plain"};

struct Said {
  std::string proxy_error;
  bool started = false;
  bool complete = false;
  std::tuple<std::optional<std::int64_t>, std::optional<std::int64_t>, std::optional<std::int64_t>>
      timings;
  bool operator==(Said const&) const = default;
};

Said listen(std::string_view type, std::string_view text, std::size_t cut) {
  llama::Tap tap(type);
  for (std::size_t at = 0; at < text.size(); at += cut) tap.put(text.substr(at, cut));
  Said said;
  said.proxy_error = tap.proxy_error();
  said.started = tap.started();
  said.complete = tap.complete();
  auto const timings = tap.finish();
  said.timings = {timings.reused, timings.read, timings.predicted};
  return said;
}

void generated_text_is_only_text(std::string_view generated) {
  auto const content = R"({"content":)" + json::quote(generated) + "}";
  auto const stream = "data: " + content + "\n\n";
  auto const nothing = Said().timings;
  auto const event = listen("text/event-stream", stream, stream.size());
  require(!event.complete && event.timings == nothing, "an event's text is no end and no timings");
  require(event.proxy_error.empty(), "an event's text is no router's word");
  auto const body = listen("application/json", content, content.size());
  require(body.timings == nothing && body.proxy_error.empty(), "nor is a body's");
  auto const last = stream +
                    "data: {\"timings\":{\"cache_n\":7,\"prompt_n\":8,\"predicted_n\":9}}\n\n"
                    "data: [DONE]\n\n";
  auto const end = listen("text/event-stream", last, last.size());
  require(end.complete && end.timings == std::tuple(7, 8, 9), "what is said behind it is heard");
}

}  // namespace

void tap(std::string_view input) {
  Input const in(input);
  auto const type = types[in.option / 16U % types.size()];
  require(listen(type, in.text, in.text.size() + 1) == listen(type, in.text, in.cut()),
          "the cut changes nothing");
  generated_text_is_only_text(in.text);
}

}  // namespace slotswap::fuzz
