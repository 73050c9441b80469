#include <slotswap/base/text.hpp>
#include <slotswap/prompt/divergence.hpp>

#include <algorithm>
#include <iterator>

namespace slotswap::prompt {

namespace {

std::size_t same_characters(std::string_view a, std::string_view b) {
  return base::code_points(a.substr(0, base::common_prefix(a, b)));
}

std::string count(std::size_t messages) {
  return std::to_string(messages) + (messages == 1 ? " message" : " messages");
}

// "for its first 5 of 9 characters (before: 7)"
std::string first_of(std::string_view whose, std::size_t same, std::size_t now,
                     std::size_t before) {
  auto out = std::string("the same for ");
  out += whose;
  return out + " first " + std::to_string(same) + " of " + std::to_string(now) +
         " characters (before: " + std::to_string(before) + ")";
}

std::string same_beginning(std::size_t parts) {
  if (parts == 0) return {};
  if (parts == 1) return "the first is the same, ";
  return "the first " + std::to_string(parts) + " are the same, ";
}

std::string first_difference(Divergence const& d) {
  auto message = "message " + std::to_string(d.same_parts + 1);
  if (!d.role.empty()) message += " (" + d.role + ")";
  auto const only_role = d.same_chars == d.chars && d.chars == d.chars_before;
  if (only_role) return message + " has the same text under another role";
  return message + " is " + first_of("its", d.same_chars, d.chars, d.chars_before);
}

}  // namespace

Divergence compare(Prompt const& before, Prompt const& now) {
  auto const [b, n] =
      std::mismatch(before.parts.begin(), before.parts.end(), now.parts.begin(), now.parts.end());
  Divergence d;
  d.parts = now.parts.size();
  d.parts_before = before.parts.size();
  d.same_parts = static_cast<std::size_t>(n - now.parts.begin());
  auto const before_ends = b == before.parts.end();
  auto const now_ends = n == now.parts.end();
  if (before_ends || now_ends) {
    d.kind = !before_ends ? Divergence::Kind::cut
             : !now_ends  ? Divergence::Kind::extended
                          : Divergence::Kind::same;
  } else {
    d.kind = Divergence::Kind::differs;
    d.role = n->role;
    d.same_chars = same_characters(b->text, n->text);
    d.chars = base::code_points(n->text);
    d.chars_before = base::code_points(b->text);
  }
  if (d.kind == Divergence::Kind::differs && std::next(b) == before.parts.end() &&
      std::next(n) == now.parts.end()) {
    // The same two texts: a long one is not walked twice.
    d.last_same_chars = d.same_chars;
    d.last_chars = d.chars;
    d.last_chars_before = d.chars_before;
    return d;
  }
  std::string_view const last_before =
      before.parts.empty() ? std::string_view() : before.parts.back().text;
  std::string_view const last_now = now.parts.empty() ? std::string_view() : now.parts.back().text;
  d.last_same_chars = same_characters(last_before, last_now);
  d.last_chars = base::code_points(last_now);
  d.last_chars_before = base::code_points(last_before);
  return d;
}

std::string describe(Divergence const& d) {
  using Kind = Divergence::Kind;
  auto const single = d.parts == 1 && d.parts_before == 1;
  if (d.kind == Kind::same) {
    return "the same as the last prompt" + (single ? std::string() : " (" + count(d.parts) + ")");
  }
  // One part without a role is the `prompt` of a completion, its own last message.
  if (single && d.kind == Kind::differs && d.role.empty()) {
    return "the prompt is " + first_of("its", d.same_chars, d.chars, d.chars_before);
  }
  auto out = count(d.parts) + ", the last prompt had " + std::to_string(d.parts_before) + ": " +
             same_beginning(d.same_parts);
  if (d.kind == Kind::extended) out += "new messages follow";
  if (d.kind == Kind::cut) out += "the end is cut";
  if (d.kind == Kind::differs) out += first_difference(d);
  if (d.parts == 0 || d.parts_before == 0) return out;
  return out + "; the last messages are " +
         first_of("their", d.last_same_chars, d.last_chars, d.last_chars_before);
}

std::string_view to_string(Divergence::Kind kind) {
  switch (kind) {
    case Divergence::Kind::same:
      return "same";
    case Divergence::Kind::extended:
      return "extended";
    case Divergence::Kind::cut:
      return "cut";
    case Divergence::Kind::differs:
      return "differs";
  }
  return "unknown";
}

}  // namespace slotswap::prompt
