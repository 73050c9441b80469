#include "support/raw_client.hpp"

#include "support/listener.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace slotswap::test {
namespace {

struct RawClientTest : testing::Test {
  Listener listener;
  RawClient near{listener.port(), Milliseconds{5'000}};
  RawClient far{listener.accept()};
};

TEST_F(RawClientTest, keeps_what_follows_a_marker_for_the_next_read) {
  far.send("one\r\ntwo-and-more");
  EXPECT_EQ(near.read_until("\r\n"), "one\r\n");
  EXPECT_EQ(near.read_exact(3), "two");
  far.close();
  EXPECT_EQ(near.read_to_end(), "-and-more");
  EXPECT_FALSE(near.was_reset());
  EXPECT_TRUE(near.at_end());
}

TEST_F(RawClientTest, tells_a_reset_from_an_end) {
  far.reset();
  EXPECT_TRUE(near.closed_within(Milliseconds{5'000}));
  EXPECT_TRUE(near.was_reset());
}

TEST_F(RawClientTest, an_open_connection_is_not_closed_and_keeps_its_bytes) {
  far.send("data");
  EXPECT_FALSE(near.closed_within(Milliseconds{20}));
  EXPECT_EQ(near.read_within(Milliseconds{0}), "data");
  EXPECT_EQ(near.read_within(Milliseconds{0}), "");
}

TEST_F(RawClientTest, a_half_closed_client_still_reads) {
  near.half_close();
  EXPECT_TRUE(far.closed_within(Milliseconds{5'000}));
  far.send("late");
  EXPECT_EQ(near.read_exact(4), "late");
}

TEST_F(RawClientTest, throws_when_the_stream_ends_before_the_marker) {
  far.send("no marker");
  far.close();
  EXPECT_THROW(near.read_until("\r\n"), std::runtime_error);
}

TEST_F(RawClientTest, throws_when_its_patience_is_over) {
  RawClient hasty(listener.port(), Milliseconds{20});
  EXPECT_THROW(hasty.read_exact(1), std::runtime_error);
}

TEST(RawClientConnect, throws_when_nobody_listens) {
  std::uint16_t port = 0;
  {
    Listener gone;
    port = gone.port();
  }
  EXPECT_THROW(RawClient{port}, std::runtime_error);
}

}  // namespace
}  // namespace slotswap::test
