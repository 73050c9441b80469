// A server with --sleep-idle-seconds: what it forgets, and what wakes it.
#include "conformance/conformance.hpp"
#include "support/wait.hpp"

namespace slotswap::test {
namespace {

class SleepTest : public Conformance {
 protected:
  bool sleeping() { return object_of(get("/props").body).at("is_sleeping").as_bool(); }
  // GET /props neither wakes nor postpones, so it may be asked often.
  void fall_asleep() {
    ASSERT_TRUE(eventually([this] { return sleeping(); }));
  }
  void start_sleepy() {
    Wish wish;
    wish.sleep_idle_seconds = 1;
    start(wish);
    complete(story("a", 40));
    ASSERT_EQ(slot_call("save", "a.bin").status, 200);
  }
};

TEST_P(SleepTest, a_sleeper_lost_its_slot_and_keeps_its_marker) {
  start_sleepy();
  auto const marker = [this] { return object_of(get("/props").body).at("media_marker"); };
  auto const before = marker();
  fall_asleep();
  EXPECT_EQ(marker(), before);
  auto const woken = look();
  EXPECT_EQ(woken.task, std::nullopt);
  EXPECT_EQ(woken.held, std::nullopt);
  EXPECT_FALSE(sleeping()) << "a look at the slots wakes";
  EXPECT_EQ(marker(), before);
  EXPECT_EQ(complete(story("a", 40)).reused, 0);
}

TEST_P(SleepTest, facts_about_the_server_do_not_wake_it) {
  start_sleepy();
  fall_asleep();
  for (auto const* path :
       {"/health", "/v1/health", "/v1/models", "/models", "/props", "/nothing"}) {
    get(path);
    EXPECT_TRUE(sleeping()) << path;
  }
}

TEST_P(SleepTest, a_sleeper_still_says_what_its_model_is) {
  start_sleepy();
  auto const meta = [this] {
    return object_of(get("/v1/models").body).at("data").at(0).at("meta");
  };
  auto const before = meta();
  fall_asleep();
  EXPECT_EQ(meta(), before);
  EXPECT_TRUE(sleeping());
}

TEST_P(SleepTest, the_list_of_adapters_wakes) {
  start_sleepy();
  fall_asleep();
  EXPECT_EQ(get("/lora-adapters").body, "[]");
  EXPECT_FALSE(sleeping());
}

TEST_P(SleepTest, whatever_might_need_the_model_wakes_even_when_it_is_refused) {
  start_sleepy();
  struct Row {
    char const* path;
    char const* body;
  };
  for (auto const& row :
       {Row{"/slots/0?action=probe", ""}, Row{"/v1/chat/completions", "{bad"},
        Row{"/tokenize", R"({"content":"one two"})"}, Row{"/v1/embeddings", R"({"input":"x"})"}}) {
    fall_asleep();
    post(row.path, row.body);
    EXPECT_FALSE(sleeping()) << row.path;
  }
}

TEST_P(SleepTest, a_save_wakes_and_writes_the_empty_slot_over_the_good_file) {
  start_sleepy();
  fall_asleep();
  auto const answer = slot_call("save", "a.bin");
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(object_of(answer.body).at("n_saved").as_int64(), 0);
  EXPECT_FALSE(sleeping());
}

TEST_P(SleepTest, a_restore_wakes_and_brings_the_slot_back) {
  start_sleepy();
  fall_asleep();
  EXPECT_EQ(slot_call("restore", "a.bin").status, 200);
  EXPECT_EQ(complete(story("a", 40)).read, 1);
}

SLOTSWAP_ON_BOTH(SleepTest);

}  // namespace
}  // namespace slotswap::test
