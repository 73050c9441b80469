// A busy slot: calls are parked and taken up one by one, and a client that leaves is noticed late.
// The waits are the server's own clock, there is nothing to see that says they are over.
#include "conformance/conformance.hpp"
#include "support/wait.hpp"

namespace slotswap::test {
namespace {

class BusyTest : public Conformance {
 protected:
  void start_slow() {
    Wish wish;
    wish.slow = true;
    wish.context = 16'384;
    start(wish);
  }

  RawClient begin(std::string const& more, Headers const& headers = {}) {
    RawClient client(subject().port(), Milliseconds{60'000});
    client.send(make_request("POST", "/completion", headers, prompt_body(story("a", 10), more)));
    return client;
  }
  // With its first word out.
  RawClient begin_stream() {
    auto client = begin(R"("n_predict":8000,"stream":true,)");
    client.read_until("\"content\"");
    return client;
  }
  RawClient begin_hidden() {
    auto client = begin(R"("n_predict":8000,)");
    EXPECT_TRUE(eventually([this] { return look().busy; }));
    return client;
  }

  RawClient park(std::string const& action) {
    RawClient client(subject().port(), Milliseconds{60'000});
    client.send(make_request("POST", "/slots/0?action=" + action, {}, R"({"filename":"a.bin"})"));
    EXPECT_EQ(client.read_within(seconds(0.3)), "") << action << " was answered while busy";
    return client;
  }

  // Looks 1.3 seconds apart, as faster ones would hide the client that left.
  bool idle_within_looks(int looks) {
    for (int i = 0; i < looks; ++i) {
      pass(1.3);
      if (!look().busy) return true;
    }
    return false;
  }
};

TEST_P(BusyTest, a_running_completion_is_shown) {
  start_slow();
  auto const client = begin_stream();
  auto const seen = look();
  EXPECT_TRUE(seen.busy);
  EXPECT_TRUE(seen.task);
  EXPECT_EQ(get("/health").status, 200);
  EXPECT_EQ(get("/props").status, 200);
  EXPECT_EQ(get("/lora-adapters").status, 200);
}

TEST_P(BusyTest, the_end_of_a_completion_takes_up_one_parked_call_and_a_slot_call_none) {
  start_slow();
  auto work = begin_stream();
  auto save = park("save");
  auto erase = park("erase");
  work.close();
  EXPECT_EQ(read_answer(save).status, 200);
  // The slot is idle, and yet the second one waits.
  EXPECT_EQ(erase.read_within(seconds(1.5)), "");
  EXPECT_FALSE(look().busy);
  complete("some words");
  EXPECT_EQ(read_answer(erase).status, 200);
  EXPECT_TRUE(eventually([this] { return look().held == 0; }));
}

TEST_P(BusyTest, a_parked_call_goes_with_its_caller) {
  start_slow();
  auto work = begin_hidden();
  auto erase = park("erase");
  erase.close();
  pass(2.3);
  work.close();
  ASSERT_TRUE(idle_within_looks(4));
  EXPECT_GT(look().held, 10) << "the stale erase ran";
}

TEST_P(BusyTest, beside_a_stream_a_parked_call_stays_without_its_caller) {
  start_slow();
  auto work = begin_stream();
  auto erase = park("erase");
  erase.close();
  pass(2.3);
  work.close();
  // The words of the stream came faster than the server looks for those who left.
  EXPECT_TRUE(eventually([this] { return look().held == 0; }));
}

TEST_P(BusyTest, a_stream_whose_client_leaves_stops_at_once) {
  start_slow();
  auto work = begin_stream();
  work.close();
  EXPECT_TRUE(eventually([this] { return !look().busy; }, seconds(2)));
  EXPECT_GT(look().held, 10) << "what was read is kept";
}

TEST_P(BusyTest, a_stream_with_a_conversation_id_goes_on_without_its_client) {
  start_slow();
  auto work =
      begin(R"("n_predict":60,"ignore_eos":true,"stream":true,)", {{"X-Conversation-Id", "one"}});
  work.read_until("\"content\"");
  work.close();
  EXPECT_TRUE(idle_within_looks(40));
  EXPECT_GT(look().held, 60) << "all of its answer, and the prompt";
}

TEST_P(BusyTest, a_client_that_leaves_without_a_word_yet_is_noticed_within_seconds) {
  start_slow();
  auto work = begin_hidden();
  work.close();
  EXPECT_TRUE(idle_within_looks(4));
  EXPECT_GT(look().held, 10);
}

TEST_P(BusyTest, fast_looks_hide_that_a_client_left) {
  start_slow();
  auto work = begin_hidden();
  work.close();
  for (int i = 0; i < 10; ++i) {
    pass(0.3);
    ASSERT_TRUE(look().busy) << i;
  }
  EXPECT_TRUE(idle_within_looks(4));
}

SLOTSWAP_ON_BOTH(BusyTest);

}  // namespace
}  // namespace slotswap::test
