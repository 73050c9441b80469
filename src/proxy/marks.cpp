#include "marks.hpp"

#include <slotswap/base/text.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace slotswap::proxy {

namespace {

constexpr std::string_view prefix = "x-slotswap-";
// As log.ids: short has it.
constexpr std::size_t short_id = 8;

std::string fixed(double number, int digits) {
  std::array<char, 64> text{};
  auto const end = std::to_chars(text.data(), text.data() + text.size(), number,
                                 std::chars_format::fixed, digits);
  return {text.data(), end.ptr};
}

// Copies: erasing moves what views would point to.
std::vector<std::string> others_marks(http::Fields const& fields) {
  std::vector<std::string> names;
  for (auto const& field : fields) {
    if (base::to_lower(field.name).starts_with(prefix)) names.push_back(field.name);
  }
  return names;
}

}  // namespace

void MarkedAnswer::mark(report::Receipt const& receipt, bool shown) {
  unmark();
  managed_ = true;
  if (!shown) return;
  auto const waited = receipt.waited_ms.value_or(0);
  auto const swapped = receipt.swap_ms.value_or(0);
  marks_.add("X-Slotswap-Session", receipt.session.substr(0, short_id));
  marks_.add("X-Slotswap-Slot", receipt.slot);
  marks_.add("X-Slotswap-Wait-Ms", fixed(waited, 0));
  marks_.add("X-Slotswap-Swap-Ms", fixed(swapped, 0));
  marks_.add("Server-Timing", "wait;dur=" + fixed(waited, 1) + ", swap;dur=" + fixed(swapped, 1));
}

void MarkedAnswer::unmark() {
  managed_ = false;
  marks_ = http::Fields();
}

void MarkedAnswer::put_marks(http::ResponseHead& head) const {
  if (!managed_) return;
  for (auto const& name : others_marks(head.fields)) head.fields.erase(name);
  for (auto const& mark : marks_) head.fields.add(mark.name, mark.value);
}

net::awaitable<bool> MarkedAnswer::respond(http::ResponseHead head, std::string body) {
  put_marks(head);
  return inner_.respond(std::move(head), std::move(body));
}

void MarkedAnswer::begin(http::ResponseHead head, std::optional<std::uint64_t> content_length) {
  put_marks(head);
  inner_.begin(std::move(head), content_length);
}

}  // namespace slotswap::proxy
