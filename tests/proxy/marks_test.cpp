#include "marks.hpp"

#include "proxy/fake_incoming.hpp"

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

using proxy::MarkedAnswer;

report::Receipt receipt() {
  report::Receipt receipt;
  receipt.session = "0123456789abcdef0123456789abcdef";
  receipt.slot = "kept";
  receipt.waited_ms = 1234.56;
  receipt.swap_ms = 7.5;
  return receipt;
}

http::ResponseHead of_a_server() {
  http::ResponseHead head;
  head.status = 200;
  head.fields.add("x-slotswap-slot", "resident");
  head.fields.add("X-Slotswap-Other", "1");
  head.fields.add("X-Other", "2");
  head.fields.add("Server-Timing", "gpu;dur=1");
  return head;
}

http::Fields answered(std::function<void(MarkedAnswer&)> const& prepare) {
  FakeIncoming client;
  MarkedAnswer marked(client);
  prepare(marked);
  marked.begin(of_a_server(), std::nullopt);
  return client.answer->fields;
}

TEST(Marks, are_put_beside_the_servers_own_fields) {
  auto const fields = answered([](MarkedAnswer& marked) { marked.mark(receipt(), true); });
  EXPECT_EQ(fields.get("X-Slotswap-Session"), "01234567");
  EXPECT_EQ(fields.all("X-Slotswap-Slot"), (std::vector<std::string_view>{"kept"}));
  EXPECT_EQ(fields.get("X-Slotswap-Wait-Ms"), "1235");
  EXPECT_EQ(fields.get("X-Slotswap-Swap-Ms"), "8");
  EXPECT_EQ(fields.get("X-Other"), "2");
  EXPECT_EQ(fields.all("Server-Timing"),
            (std::vector<std::string_view>{"gpu;dur=1", "wait;dur=1234.6, swap;dur=7.5"}));
}

TEST(Marks, no_field_of_the_server_looks_like_one_of_ours) {
  for (auto const shown : {true, false}) {
    auto const fields = answered([&](MarkedAnswer& marked) { marked.mark(receipt(), shown); });
    EXPECT_FALSE(fields.has("X-Slotswap-Other"));
    EXPECT_EQ(fields.has("X-Slotswap-Slot"), shown);
    EXPECT_EQ(fields.all("Server-Timing").size(), shown ? 2U : 1U);
  }
}

TEST(Marks, what_is_not_managed_passes_as_it_is) {
  auto const unmanaged = [](MarkedAnswer&) {};
  auto const again = [](MarkedAnswer& marked) {
    marked.mark(receipt(), true);
    marked.unmark();
  };
  for (auto const& fields : {answered(unmanaged), answered(again)}) {
    EXPECT_EQ(fields.get("X-Slotswap-Slot"), "resident");
    EXPECT_EQ(fields.size(), of_a_server().fields.size());
  }
}

}  // namespace
}  // namespace slotswap::test
