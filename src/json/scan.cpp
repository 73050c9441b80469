#include <slotswap/json/scan.hpp>

#include <algorithm>

namespace slotswap::json {

namespace {

constexpr std::string_view blanks = " \t\r\n";

// Walks a text that is known to be valid JSON. It is not trusted to be: a walk off its end stops
// there.
class Walker {
 public:
  explicit Walker(std::string_view text)
      : text_(text), at_(text.starts_with("\xEF\xBB\xBF") ? 3U : 0U) {}

  // Steps over `c` after blanks; false when something else stands there.
  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Range string() {
    skip_blanks();
    Range const range{at_, string_end(at_)};
    at_ = range.end;
    return range;
  }

  // Without recursion: brackets are counted.
  Range value() {
    skip_blanks();
    auto const begin = at_;
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      auto const c = text_[at_];
      if (c == '"') {
        at_ = string_end(at_);
        if (depth == 0) break;
        continue;
      }
      auto const closes = c == '}' || c == ']';
      // A number or a literal ends where something else begins.
      if (depth == 0 && (closes || c == ',' || blanks.find(c) != std::string_view::npos)) break;
      ++at_;
      if (c == '{' || c == '[') ++depth;
      if (closes && --depth == 0) break;
    }
    return {begin, at_};
  }

 private:
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(blanks, at_), text_.size()); }

  std::size_t string_end(std::size_t at) const {
    auto quote = text_.find('"', ++at);
    while (quote != std::string_view::npos) {
      auto const escape = text_.substr(0, quote).find('\\', at);
      if (escape == std::string_view::npos) return quote + 1;
      at = escape + 2;
      if (at > quote) quote = text_.find('"', at);
    }
    return text_.size();
  }

  std::string_view text_;
  std::size_t at_;
};

std::string_view part(std::string_view text, Range range) {
  return text.substr(range.begin, range.end - range.begin);
}

bool is_name(std::string_view literal, std::string_view name) {
  if (literal.find('\\') == std::string_view::npos) {
    return literal.size() == name.size() + 2 && literal.substr(1, name.size()) == name;
  }
  auto const decoded = parse(literal);
  auto const* const text = decoded ? decoded->if_string() : nullptr;
  return text != nullptr && std::string_view(text->data(), text->size()) == name;
}

}  // namespace

std::vector<Range> member_values(std::string_view text, std::string_view name) {
  std::vector<Range> out;
  Walker walker(text);
  if (!walker.take('{') || walker.take('}')) return out;
  do {
    auto const key = walker.string();
    if (!walker.take(':')) break;
    auto const value = walker.value();
    if (is_name(part(text, key), name)) out.push_back(value);
  } while (walker.take(','));
  return out;
}

std::vector<Range> elements(std::string_view text) {
  std::vector<Range> out;
  Walker walker(text);
  if (!walker.take('[') || walker.take(']')) return out;
  do {
    out.push_back(walker.value());
  } while (walker.take(','));
  return out;
}

std::string splice(std::string_view text, std::vector<Range> const& ranges, std::string_view with) {
  std::string out;
  out.reserve(text.size() + ranges.size() * with.size());
  std::size_t at = 0;
  for (auto const& range : ranges) {
    out += text.substr(at, range.begin - at);
    out += with;
    at = range.end;
  }
  out += text.substr(at);
  return out;
}

}  // namespace slotswap::json
