// What a simulated server tells about its callers, and how it dies and comes back.
#include "stage.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace slotswap::llama_sim {
namespace {

void slow(Options& options) {
  options.decode_tps = 2;
}

TEST(SimBook, tells_the_calls_in_order) {
  Stage stage;
  test::request(stage.sim.port(), "POST", "/completion", {{"X-Session-ID", "s1"}}, words);
  stage.slot_call("save");
  stage.get("/props");
  auto const calls = stage.sim.book().calls;
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0].target, "/completion");
  EXPECT_EQ(calls[0].session, "s1");
  EXPECT_EQ(calls[1].target, "/slots/0?action=save");
  EXPECT_EQ(calls[1].file, "a.bin");
  EXPECT_EQ(calls[2].method, "GET");
}

TEST(SimBook, counts_slot_calls_beside_work_and_those_that_are_parked) {
  Stage stage(slow);
  auto work = stage.begin("/completion", endless);
  work.read_until("data:");
  auto first = stage.begin("/slots/0?action=save", R"({"filename":"a.bin"})");
  auto second = stage.begin("/slots/0?action=erase", "");
  EXPECT_TRUE(test::eventually([&] { return stage.sim.book().most_parked == 2; }));
  EXPECT_EQ(stage.sim.book().actions_beside_work, 2U);
  EXPECT_FALSE(stage.sim.idle());
}

TEST(SimBook, work_that_is_held_stands_still_until_it_is_let_go) {
  for (auto const where : {Hold::prefill, Hold::answer}) {
    Stage stage;
    stage.sim.hold(where);
    auto work = stage.begin("/completion", R"({"prompt":"x y z","n_predict":2})");
    ASSERT_TRUE(test::eventually([&] { return stage.sim.book().completions_started == 1; }));
    stage.get("/props");
    EXPECT_EQ(stage.sim.book().completions_finished, 0U);
    stage.sim.hold(Hold::nowhere);
    EXPECT_EQ(test::read_answer(work).status, 200);
    EXPECT_EQ(stage.sim.book().completions_finished, 1U);
  }
}

TEST(SimBook, one_that_leaves_held_work_is_noticed) {
  Stage stage;
  stage.sim.hold(Hold::prefill);
  auto work = stage.begin("/completion", endless);
  ASSERT_TRUE(test::eventually([&] { return stage.sim.book().completions_started == 1; }));
  work.close();
  EXPECT_TRUE(test::eventually([&] { return stage.sim.book().completions_cancelled == 1; }));
}

TEST(SimBook, a_probe_is_no_slot_call) {
  Stage stage(slow);
  auto work = stage.begin("/completion", endless);
  work.read_until("data:");
  EXPECT_EQ(stage.slot_call("probe").status, 400);
  EXPECT_EQ(stage.sim.book().actions_beside_work, 0U);
}

TEST(SimBook, counts_completions_by_their_end) {
  Stage stage(slow);
  stage.post("/completion", R"({"prompt":"x","n_predict":2})");
  auto work = stage.begin("/completion", endless);
  work.read_until("data:");
  work.close();
  EXPECT_TRUE(test::eventually([&] { return stage.sim.idle(); }));
  auto const book = stage.sim.book();
  EXPECT_EQ(book.completions_started, 2U);
  EXPECT_EQ(book.completions_finished, 1U);
  EXPECT_EQ(book.completions_cancelled, 1U);
}

TEST(SimBook, counts_what_wakes_it) {
  Stage stage([](Options& options) { options.sleep_idle_seconds = 1; });
  auto const asleep = [&] {
    return stage.get("/props").body.find("\"is_sleeping\":true") != std::string::npos;
  };
  ASSERT_TRUE(test::eventually(asleep));
  EXPECT_EQ(stage.sim.book().wakes, 0U);
  stage.get("/slots");
  EXPECT_EQ(stage.sim.book().wakes, 1U);
}

TEST(SimBook, a_killed_server_cuts_its_answers_and_comes_back_on_its_port) {
  Stage stage(slow);
  auto const port = stage.sim.port();
  auto work = stage.begin("/completion", endless);
  work.read_until("data:");
  stage.sim.kill();
  EXPECT_FALSE(stage.sim.alive());
  EXPECT_TRUE(work.closed_within(test::Milliseconds{5000}));
  EXPECT_THROW(stage.get("/health"), std::runtime_error);
  stage.sim.start_again([](Options& options) { options.model = "another"; });
  EXPECT_EQ(stage.sim.port(), port);
  EXPECT_NE(stage.get("/v1/models").body.find("another"), std::string::npos);
  EXPECT_EQ(stage.get("/slots").body.find("id_task"), std::string::npos);
}

TEST(SimBook, ends_while_calls_of_every_kind_are_open) {
  Stage stage(slow);
  stage.sim.order(Fault::slots_hang);
  test::RawClient looking(stage.sim.port());
  looking.send(test::make_request("GET", "/slots"));
  auto work = stage.begin("/completion", endless);
  work.read_until("data:");
  auto parked = stage.begin("/slots/0?action=erase", "");
  test::RawClient idle(stage.sim.port());
  idle.send("GET /props HT");
  EXPECT_TRUE(test::eventually([&] { return stage.sim.book().most_parked == 1; }));
}

}  // namespace
}  // namespace slotswap::llama_sim
