#include <slotswap/http/hygiene.hpp>

#include <gtest/gtest.h>

#include <string>

namespace slotswap::http {
namespace {

TEST(Hygiene, item_5_1_13_fields_of_one_hop_go) {
  Fields fields;
  for (auto const* name :
       {"Connection", "Keep-Alive", "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding",
        "Upgrade", "Proxy-Authenticate", "Proxy-Authorization", "Content-Length"}) {
    fields.add(name, "x");
  }
  fields.add("Authorization", "Bearer x");
  fields.add("Content-Type", "text/plain");
  strip_hop_by_hop(fields);
  EXPECT_EQ(fields.size(), 2U);
  EXPECT_EQ(fields.get("Authorization"), "Bearer x");
  EXPECT_EQ(fields.get("Content-Type"), "text/plain");
}

TEST(Hygiene, item_5_1_13_fields_named_by_connection_go) {
  Fields fields;
  fields.add("X-Hop", "1");
  fields.add("Connection", "close, x-hop");
  fields.add("X-Stay", "2");
  fields.add("connection", "X-Other");
  fields.add("x-hop", "3");
  fields.add("x-other", "4");
  strip_hop_by_hop(fields);
  EXPECT_EQ(fields.size(), 1U);
  EXPECT_TRUE(fields.has("X-Stay"));
}

TEST(Hygiene, chunks) {
  std::string out;
  append_chunk(out, "abc");
  append_chunk(out, std::string(26, 'x'));
  out += last_chunk;
  EXPECT_EQ(out, "3\r\nabc\r\n1a\r\n" + std::string(26, 'x') + "\r\n0\r\n\r\n");
}

}  // namespace
}  // namespace slotswap::http
