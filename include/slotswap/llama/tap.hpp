// Reads what a server says about an answer as its bytes pass: the timings of the last event, or of
// a whole body. Bounded memory; never changes or delays a byte; not fooled by "timings" inside
// generated text. One thread.
#pragma once

#include <slotswap/http/sse.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slotswap::llama {

struct Timings {
  std::optional<std::int64_t> reused;     // timings.cache_n
  std::optional<std::int64_t> read;       // timings.prompt_n
  std::optional<std::int64_t> predicted;  // timings.predicted_n
};

class Tap {
 public:
  /// `content_type` of the answer decides how it is read; others than JSON and event streams are
  /// not.
  explicit Tap(std::string_view content_type);
  void put(std::string_view bytes);
  /// What was said; call at the end.
  Timings finish();
  /// What a router says in the place of an answer or of its end when the model's process went away:
  /// "proxy error: Failed to read connection". Empty: nothing. Call before finish.
  std::string_view proxy_error() const;
  /// Whether an event or any body byte has passed.
  bool started() const { return started_; }
  /// A stream reached its own end ([DONE], message_stop, response.completed, or "stop":true of
  /// /completion).
  bool complete() const { return complete_; }

 private:
  void read_event(http::SseEvent const& event);
  void read_object(std::string_view text);

  enum class Mode { none, json, events };
  Mode mode_ = Mode::none;
  bool started_ = false;
  bool complete_ = false;
  http::SseSplitter splitter_;
  std::string body_;  // of a JSON answer, up to a bound
  bool body_cut_ = false;
  Timings timings_;
};

}  // namespace slotswap::llama
