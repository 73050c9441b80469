// The lives of a router's models as they are seen from outside: the events, sleep, a killed
// process.
#include "conformance/router.hpp"
#include "support/wait.hpp"

#include <boost/json/parse.hpp>

#include <gmock/gmock.h>

namespace slotswap::test {
namespace {

constexpr auto cannot_read = "proxy error: Failed to read connection";

class RouterLifeTest : public RouterConformance {
 protected:
  RawClient listen() {
    RawClient client(subject().port(), Milliseconds{60'000});
    client.send(make_request("GET", "/models/sse"));
    auto const head = read_head(client);
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.header("content-type"), "text/event-stream");
    return client;
  }
  // "MODEL EVENT STATUS" of the next event; how far a load has come is left out.
  static std::string next(RawClient& client) {
    while (true) {
      client.read_until("data: ");
      auto const event = object_of(client.read_until("\n"));
      auto const& data = event.at("data").as_object();
      if (data.contains("progress")) continue;
      std::string text(event.at("model").as_string());
      text += " " + std::string(event.at("event").as_string());
      text += " " + std::string(data.at("status").as_string());
      if (data.contains("exit_code")) {
        text += " " + std::to_string(data.at("exit_code").as_int64());
      }
      return text;
    }
  }
};

TEST_P(RouterLifeTest, events_tell_of_loads_and_ends_in_their_order) {
  RouterWish wish;
  wish.models_max = 1;
  start(wish);
  auto events = listen();
  use("a");
  EXPECT_EQ(next(events), "a model_status loading");
  EXPECT_EQ(next(events), "a status_change loaded");
  use("b");
  EXPECT_EQ(next(events), "a status_change unloaded 0");
  EXPECT_EQ(next(events), "b model_status loading");
  EXPECT_EQ(next(events), "b status_change loaded");
  order("unload", "b");
  EXPECT_EQ(next(events), "b status_change unloaded 0");
  order("load", "broken");
  EXPECT_EQ(next(events), "broken model_status loading");
  EXPECT_EQ(next(events), "broken status_change unloaded 1");
}

TEST_P(RouterLifeTest, an_idle_model_sleeps_and_is_shown_so_until_it_is_needed) {
  RouterWish wish;
  wish.b_sleeps_after = 1;
  start(wish);
  auto events = listen();
  complete("b", story("x", 20));
  EXPECT_EQ(next(events), "b model_status loading");
  EXPECT_EQ(next(events), "b status_change loaded");
  EXPECT_EQ(next(events), "b status_change sleeping");
  EXPECT_EQ(status("b"), "sleeping");
  EXPECT_TRUE(entry("b").contains("meta"));
  auto const props = object_of(get("/props?model=b&autoload=false").body);
  EXPECT_TRUE(props.at("is_sleeping").as_bool());
  EXPECT_EQ(status("b"), "sleeping");
  EXPECT_EQ(get("/slots?model=b&autoload=false").status, 200);
  EXPECT_EQ(next(events), "b status_change loaded") << "a look at its slots wakes it";
  EXPECT_EQ(complete("b", story("x", 20)).reused, 0);
}

TEST_P(RouterLifeTest, a_sleeper_may_be_sent_away) {
  RouterWish wish;
  wish.models_max = 1;
  wish.b_sleeps_after = 1;
  start(wish);
  use("b");
  ASSERT_TRUE(becomes("b", "sleeping"));
  use("a");
  EXPECT_EQ(running(), (std::vector<std::string>{"a"}));
}

TEST_P(RouterLifeTest, a_killed_model_is_shown_as_failed_and_comes_back_with_the_next_request) {
  start();
  complete("a", story("x", 20));
  auto events = listen();
  subject().kill_model("a");
  EXPECT_EQ(next(events), "a status_change unloaded 1");
  auto const now = entry("a").at("status").as_object();
  EXPECT_EQ(now.at("value").as_string(), "unloaded");
  EXPECT_TRUE(now.at("failed").as_bool());
  EXPECT_EQ(now.at("exit_code").as_int64(), 1);
  EXPECT_EQ(error_message(get("/slots?model=a&autoload=false")), "model is not loaded");
  EXPECT_EQ(complete("a", story("x", 20)).reused, 0);
  EXPECT_FALSE(entry("a").at("status").as_object().contains("failed"));
}

TEST_P(RouterLifeTest, the_stream_of_a_killed_model_ends_cleanly_with_a_bare_text) {
  start();
  auto work = begin_stream("slow");
  subject().kill_model("slow");
  auto const rest = work.read_to_end();
  auto const end = std::string("\r\n") + cannot_read + "\r\n0\r\n\r\n";
  ASSERT_GE(rest.size(), end.size());
  EXPECT_EQ(rest.substr(rest.size() - end.size()), end);
  EXPECT_EQ(rest.find("[DONE]"), std::string::npos);
  EXPECT_FALSE(work.was_reset());
}

TEST_P(RouterLifeTest, what_waits_for_a_killed_model_gets_an_error_that_is_no_json) {
  start();
  auto const work = begin_stream("slow");
  auto waiting = begin("/completion", model_body("slow", R"(,"prompt":"x")"));
  EXPECT_EQ(waiting.read_within(Milliseconds{300}), "");
  subject().kill_model("slow");
  auto const answer = read_answer(waiting);
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body, cannot_read);
  EXPECT_EQ(answer.header("content-type"), "application/json; charset=utf-8");
}

TEST_P(RouterLifeTest, an_unload_beside_a_stream_kills_it_when_its_time_is_over) {
  start();
  auto events = listen();
  auto work = begin_stream("slow");
  EXPECT_EQ(next(events), "slow model_status loading");
  EXPECT_EQ(next(events), "slow status_change loaded");
  EXPECT_EQ(order("unload", "slow").status, 200);
  EXPECT_EQ(status("slow"), "loaded") << "until it is gone";
  EXPECT_EQ(error_message(order("load", "slow")), "model is already running");
  // One that its closing listener still took is let go of unread.
  auto const refused = std::string("proxy error: Could not establish connection");
  EXPECT_THAT(get("/slots?model=slow&autoload=false").body, testing::AnyOf(refused, cannot_read));
  EXPECT_NE(work.read_to_end().find(cannot_read), std::string::npos);
  // The router asks for the code of a process that others of its threads wait for too.
  EXPECT_THAT(next(events),
              testing::AnyOf("slow status_change unloaded 1", "slow status_change unloaded 0"));
}

TEST_P(RouterLifeTest, a_request_for_a_model_that_is_leaving_waits_and_loads_it_anew) {
  start();
  auto work = begin_stream("slow");
  EXPECT_EQ(order("unload", "slow").status, 200);
  use("slow");
  EXPECT_EQ(status("slow"), "loaded");
  EXPECT_NE(work.read_to_end().find(cannot_read), std::string::npos);
}

TEST_P(RouterLifeTest, a_model_may_be_unloaded_while_it_loads) {
  start();
  EXPECT_EQ(order("load", "slow").status, 200);
  EXPECT_EQ(order("unload", "slow").status, 200);
  EXPECT_TRUE(becomes("slow", "unloaded"));
}

SLOTSWAP_ON_BOTH(RouterLifeTest);

}  // namespace
}  // namespace slotswap::test
