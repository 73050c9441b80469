// The simulated router where no real one can be asked: its faults, its older kinds, its book.
#include "stage.hpp"

#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

namespace slotswap::llama_sim {
namespace {

namespace json = boost::json;

using Ids = std::vector<std::string>;

struct RouterStage : Stage {
  explicit RouterStage(std::function<void(Options&)> const& changed = nullptr)
      : Stage([&changed](Options& options) {
          options.router_models = {RouterModel("a", {"alias"}), RouterModel("b"), RouterModel("c")};
          options.models_max = 2;
          if (changed) changed(options);
        }) {}

  static std::string named(std::string const& model, std::string const& more = "") {
    return R"({"model":")" + model + R"(","content":"x","prompt":"some words")" + more + "}";
  }
  int use(std::string const& model) { return post("/tokenize", named(model)).status; }
  test::RawClient begin_stream(std::string const& model) {
    auto client = begin("/completion", named(model, R"(,"n_predict":100000,"stream":true)"));
    client.read_until("data:");
    return client;
  }
  test::RawClient listen() {
    test::RawClient client(sim.port());
    client.send(test::make_request("GET", "/models/sse"));
    test::read_head(client);
    return client;
  }
  bool becomes(std::string const& model, std::string const& status) {
    return test::eventually([&] { return sim.model_status(model) == status; });
  }
};

void slow(Options& options) {
  options.decode_tps = 2;
}

TEST(SimRouter, the_book_tells_who_came_and_who_went_and_why) {
  RouterStage stage;
  stage.use("alias");
  stage.use("b");
  stage.use("c");
  stage.post("/models/unload", RouterStage::named("b"));
  ASSERT_TRUE(stage.becomes("b", "unloaded"));
  stage.get("/slots?model=c");
  auto const book = stage.sim.book();
  EXPECT_EQ(book.loads, (Ids{"a", "b", "c"}));
  EXPECT_EQ(book.evictions, (Ids{"a"}));
  EXPECT_EQ(book.unloads, (Ids{"b"}));
  EXPECT_EQ(book.calls.front().model, "a");
  EXPECT_EQ(book.calls.back().model, "c");
}

TEST(SimRouter, a_load_that_fails_is_told_to_those_who_wait_and_the_next_one_works) {
  RouterStage stage;
  stage.sim.order(Fault::load_fails);
  auto const answer = stage.post("/tokenize", RouterStage::named("a"));
  EXPECT_EQ(answer.status, 500);
  EXPECT_NE(answer.body.find("model name=a failed to load"), std::string::npos) << answer.body;
  EXPECT_EQ(stage.use("a"), 200);
}

TEST(SimRouter, a_load_that_hangs_can_be_given_up) {
  RouterStage stage([](Options& options) { options.scale = 1; });
  stage.sim.order(Fault::load_hangs);
  EXPECT_EQ(stage.post("/models/load", RouterStage::named("a")).status, 200);
  EXPECT_EQ(stage.sim.model_status("a"), "loading");
  EXPECT_EQ(stage.use("b"), 200) << "others are not held up";
  EXPECT_EQ(stage.get("/slots?model=a&autoload=false").body,
            "proxy error: Could not establish connection");
  auto waiting = stage.begin("/tokenize", RouterStage::named("a"));
  auto const waits = [&] { return stage.sim.book().count("POST", "/tokenize") == 2; };
  ASSERT_TRUE(test::eventually(waits));
  EXPECT_EQ(stage.post("/models/unload", RouterStage::named("a")).status, 200);
  EXPECT_EQ(test::read_answer(waiting).status, 500);
  EXPECT_TRUE(stage.becomes("a", "unloaded"));
}

TEST(SimRouter, an_unload_that_hangs_ends_with_the_kill) {
  RouterStage stage;
  stage.use("a");
  auto events = stage.listen();
  stage.sim.order(Fault::unload_hangs);
  EXPECT_EQ(stage.post("/models/unload", RouterStage::named("a")).status, 200);
  EXPECT_EQ(stage.sim.model_status("a"), "loaded");
  events.read_until(R"("status":"unloaded","exit_code":1)");
  EXPECT_EQ(stage.use("a"), 200);
}

TEST(SimRouter, a_dropped_stream_of_events_can_be_opened_again) {
  RouterStage stage;
  auto events = stage.listen();
  stage.sim.order(Fault::events_drop);
  EXPECT_TRUE(events.closed_within(test::Milliseconds{20'000}));
  auto again = stage.listen();
  stage.use("a");
  again.read_until(R"("status":"loaded")");
  again.close();
}

TEST(SimRouter, one_that_nobody_listens_to_drops_the_next_stream) {
  RouterStage stage;
  stage.sim.order(Fault::events_drop);
  auto events = stage.listen();
  EXPECT_TRUE(events.closed_within(test::Milliseconds{20'000}));
}

TEST(SimRouter, older_ones_lack_what_they_are_told_to_lack) {
  RouterStage stage([](Options& options) {
    options.model_events = false;
    options.slot_actions = false;
    options.tells_max_instances = false;
    options.models_autoload = false;
  });
  EXPECT_EQ(stage.get("/models/sse").status, 404);
  auto const props = json::parse(stage.get("/props").body).as_object();
  EXPECT_FALSE(props.contains("max_instances"));
  EXPECT_FALSE(props.at("models_autoload").as_bool());
  auto const call = stage.post("/slots/0?action=erase&autoload=1", RouterStage::named("a"));
  EXPECT_EQ(call.status, 400);
  EXPECT_NE(call.body.find("Invalid action"), std::string::npos);
}

TEST(SimRouter, a_killed_model_refuses_until_the_router_has_seen_it) {
  RouterStage stage([](Options& options) { options.crash_seconds = 1e6; });
  stage.use("a");
  stage.sim.kill_model("a");
  auto const answer = stage.post("/tokenize", RouterStage::named("a"));
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body, "proxy error: Could not establish connection");
  EXPECT_EQ(stage.use("b"), 200);
}

TEST(SimRouter, a_restore_that_kills_costs_its_model_only) {
  RouterStage stage;
  stage.use("b");
  stage.sim.order(Fault::restore_dies);
  auto const answer =
      stage.post("/slots/0?action=restore", RouterStage::named("a", R"(,"filename":"x")"));
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body, "proxy error: Failed to read connection");
  EXPECT_TRUE(stage.becomes("a", "unloaded"));
  EXPECT_EQ(stage.sim.model_status("b"), "loaded");
  EXPECT_EQ(stage.sim.book().crashes, 1U);
}

TEST(SimRouter, work_is_held_and_let_go_in_every_model) {
  RouterStage stage;
  stage.sim.hold(Hold::answer);
  auto work = stage.begin_stream("a");
  EXPECT_EQ(work.read_within(test::Milliseconds{50}).find("[DONE]"), std::string::npos);
  EXPECT_FALSE(stage.sim.idle());
  stage.sim.hold(Hold::nowhere);
  work.close();
  EXPECT_TRUE(test::eventually([&] { return stage.sim.idle(); }));
}

TEST(SimRouter, one_model_falls_asleep_and_is_told_of) {
  RouterStage stage;
  stage.use("a");
  stage.use("b");
  auto events = stage.listen();
  stage.sim.fall_asleep("a");
  events.read_until(R"("status":"sleeping")");
  EXPECT_EQ(stage.sim.model_status("a"), "sleeping");
  EXPECT_EQ(stage.sim.model_status("b"), "loaded");
  stage.use("a");
  EXPECT_EQ(stage.sim.book().wakes, 1U);
  events.read_until(R"("status":"loaded")");
}

TEST(SimRouter, those_who_wait_are_served_in_their_order_and_those_who_left_are_not) {
  RouterStage stage([](Options& options) {
    slow(options);
    options.models_max = 1;
  });
  auto work = stage.begin_stream("a");
  auto const calls = [&] { return stage.sim.book().calls.size(); };
  auto left = stage.begin("/tokenize", RouterStage::named("b"));
  ASSERT_TRUE(test::eventually([&] { return calls() == 2; }));
  auto stays = stage.begin("/tokenize", RouterStage::named("c"));
  ASSERT_TRUE(test::eventually([&] { return calls() == 3; }));
  left.close();
  EXPECT_EQ(stage.sim.book().loads, (Ids{"a"}));
  work.close();
  EXPECT_EQ(test::read_answer(stays).status, 200);
  EXPECT_EQ(stage.sim.book().loads.back(), "c");
}

TEST(SimRouter, a_router_that_is_killed_starts_again_with_nothing_loaded) {
  RouterStage stage(slow);
  auto work = stage.begin_stream("a");
  stage.sim.kill();
  work.read_to_end();
  EXPECT_FALSE(stage.sim.alive());
  stage.sim.start_again();
  EXPECT_EQ(stage.sim.model_status("a"), "unloaded");
  EXPECT_EQ(stage.use("a"), 200);
}

}  // namespace
}  // namespace slotswap::llama_sim
