#include "writer.hpp"

#include <slotswap/telemetry/format.hpp>
#include <slotswap/telemetry/log.hpp>

#include <array>
#include <utility>

namespace slotswap::telemetry {
namespace {

constexpr std::array<std::string_view, 5> level_words{"trace", "debug", "info", "warning", "error"};

}  // namespace

std::string_view to_string(Level level) {
  return level_words.at(static_cast<std::size_t>(level));
}

std::optional<Level> level_from(std::string_view word) {
  for (std::size_t i = 0; i < level_words.size(); ++i) {
    if (level_words.at(i) == word) return static_cast<Level>(i);
  }
  return std::nullopt;
}

Line::Line(Level level, std::string_view event) : on_(enabled(level)), level_(level) {
  if (!on_) return;
  json_ = writer::json();
  brief_ids_ = writer::brief_ids();
  text_.reserve(256);
  text_ += json_ ? "{\"ts\":\"" : "ts=";
  text_ += timestamp(std::chrono::system_clock::now());
  if (json_) text_ += '"';
  field("level", to_string(level_));
  field("event", event);
}

Line::Line(Line&& other) noexcept
    : on_(std::exchange(other.on_, false)),
      json_(other.json_),
      brief_ids_(other.brief_ids_),
      level_(other.level_),
      text_(std::move(other.text_)),
      say_(std::move(other.say_)) {}

Line::~Line() {
  if (!on_) return;
  // A line that cannot be written (no memory) is lost; it must not end the work it tells of.
  try {
    if (!say_.empty()) {
      name("say");
      json_ ? append_json(text_, say_) : append_logfmt(text_, say_);
    }
    if (json_) text_ += '}';
    writer::write(std::move(text_));
  } catch (...) {
    on_ = false;
  }
}

void Line::name(std::string_view key) {
  if (json_) {
    text_ += ",\"";
    text_ += key;
    text_ += "\":";
  } else {
    text_ += ' ';
    text_ += key;
    text_ += '=';
  }
}

Line& Line::field(std::string_view key, std::string_view value) {
  // Before it is cut: half an id would stand.
  return brief_ids_ ? text(key, brief_ids(value)) : text(key, value);
}

Line& Line::text(std::string_view key, std::string_view value) {
  if (!on_) return *this;
  name(key);
  auto const append = json_ ? append_json : append_logfmt;
  if (value.size() <= longest_value) {
    append(text_, value);
  } else {
    append(text_, cut(value, longest_value));
  }
  return *this;
}

Line& Line::flag(std::string_view key, bool value) {
  if (!on_) return *this;
  name(key);
  text_ += value ? "true" : "false";
  return *this;
}

Line& Line::integer(std::string_view key, std::int64_t value) {
  if (!on_) return *this;
  name(key);
  text_ += std::to_string(value);
  return *this;
}

Line& Line::natural(std::string_view key, std::uint64_t value) {
  if (!on_) return *this;
  name(key);
  text_ += std::to_string(value);
  return *this;
}

Line& Line::real(std::string_view key, double value) {
  if (!on_) return *this;
  name(key);
  auto const text = number_text(key, value);
  // JSON knows no nan and no inf.
  text_ += json_ && text.find('n') != std::string::npos ? "null" : text;
  return *this;
}

Line& Line::duration(std::string_view key, base::Duration value) {
  if (!on_) return *this;
  name(key);
  text_ += number_text("ms", base::to_ms(value));
  return *this;
}

Line& Line::say(std::string_view words) {
  if (on_) say_ = brief_ids_ ? cut(brief_ids(words), longest_say) : cut(words, longest_say);
  return *this;
}

}  // namespace slotswap::telemetry
