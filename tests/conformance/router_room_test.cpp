// Who has to go when a router is full, and what makes room.
#include "conformance/router.hpp"
#include "support/wait.hpp"

namespace slotswap::test {
namespace {

using Models = std::vector<std::string>;

class RouterRoomTest : public RouterConformance {};

TEST_P(RouterRoomTest, a_load_is_answered_at_once_and_seen_in_the_list) {
  start();
  auto const answer = order("load", "slow");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, R"({"success":true})");
  EXPECT_NE(status("slow"), "unloaded");
  EXPECT_EQ(error_message(order("load", "slow")), "model is already running");
  EXPECT_TRUE(becomes("slow", "loaded"));
  EXPECT_EQ(error_message(order("load", "slow")), "model is already running");
  EXPECT_EQ(order("unload", "slow").body, R"({"success":true})");
  EXPECT_TRUE(becomes("slow", "unloaded"));
  EXPECT_FALSE(entry("slow").at("status").as_object().contains("failed"));
}

TEST_P(RouterRoomTest, the_least_recently_used_one_goes) {
  start();
  use("a");
  use("b");
  use("a");
  use(odd_name);
  EXPECT_EQ(running(), (Models{"a", odd_name}));
}

TEST_P(RouterRoomTest, without_a_limit_nobody_goes) {
  RouterWish wish;
  wish.models_max = 0;
  start(wish);
  for (auto const* model : {"a", "b", odd_name}) use(model);
  EXPECT_EQ(running(), (Models{"a", "b", odd_name}));
}

TEST_P(RouterRoomTest, whatever_is_asked_of_an_absent_model_loads_it_and_sends_another_away) {
  struct Row {
    char const* method;
    std::string path;
  };
  std::string const query = std::string("?model=") + odd_name_encoded;
  for (auto const& row : {Row{"POST", "/tokenize"}, Row{"GET", "/props" + query},
                          Row{"GET", "/slots" + query}, Row{"POST", "/slots/0?action=erase"}}) {
    start();
    use("a");
    use("b");
    auto const body = model_body(odd_name, R"(,"content":"x")");
    auto const answer = row.method == std::string("GET") ? get(row.path) : post(row.path, body);
    EXPECT_EQ(answer.status, 200) << row.path << answer.body;
    EXPECT_EQ(running(), (Models{"b", odd_name})) << row.path;
  }
}

// A look keeps its model from being the victim for the moment that the router needs to close it
// behind its answer: seen on a busy machine, once in some dozens. A use would do so every time.
TEST_P(RouterRoomTest, looks_at_the_list_and_at_models_that_run_are_no_use) {
  Models left;
  for (int tries = 0; tries < 4 && left != Models{"b", odd_name}; ++tries) {
    start();
    use("a");
    use("b");
    EXPECT_EQ(get("/slots?model=a").status, 200);
    EXPECT_EQ(get("/props?model=a").status, 200);
    EXPECT_EQ(get("/lora-adapters?model=a").status, 200);
    use(odd_name);
    left = running();
  }
  EXPECT_EQ(left, (Models{"b", odd_name}));
}

TEST_P(RouterRoomTest, a_save_is_a_use_so_that_the_other_one_goes) {
  start();
  complete("a", story("x", 20));
  complete("b", story("x", 20));
  EXPECT_EQ(slot_call("a", "save").status, 200);
  use(odd_name);
  EXPECT_EQ(running(), (Models{"a", odd_name}));
}

TEST_P(RouterRoomTest, a_save_then_an_unload_leaves_a_whole_file) {
  start();
  complete("a", story("x", 40));
  auto const saved = slot_call("a", "save");
  ASSERT_EQ(order("unload", "a").status, 200);
  ASSERT_TRUE(becomes("a", "unloaded"));
  auto const written = object_of(saved.body).at("n_written").as_int64();
  EXPECT_EQ(std::filesystem::file_size(subject().slot_dir() / "a.bin"), written);
  EXPECT_EQ(slot_call("a", "restore").status, 200);
  EXPECT_EQ(complete("a", story("x", 40)).read, 1);
}

TEST_P(RouterRoomTest, a_busy_model_never_goes) {
  start();
  auto const work = begin_stream("slow");
  use("a");
  use("b");
  EXPECT_EQ(running(), (Models{"b", "slow"})) << "though slow was used the longest ago";
}

TEST_P(RouterRoomTest, a_load_is_refused_when_all_are_busy_and_a_request_waits) {
  RouterWish wish;
  wish.models_max = 1;
  start(wish);
  auto work = begin_stream("slow");
  auto const refused = order("load", "a");
  EXPECT_EQ(refused.status, 500);
  EXPECT_EQ(error_message(refused), "model limit reached, try again later");
  auto waiting = begin("/tokenize", model_body("a", R"(,"content":"x")"));
  EXPECT_EQ(waiting.read_within(Milliseconds{300}), "");
  use("slow");
  EXPECT_EQ(running(), (Models{"slow"})) << "those of a loaded model are not held up";
  work.close();
  EXPECT_EQ(read_answer(waiting).status, 200);
  EXPECT_EQ(running(), (Models{"a"}));
}

TEST_P(RouterRoomTest, a_model_that_cannot_be_loaded_sends_another_away_first) {
  start();
  use("a");
  use("b");
  EXPECT_EQ(order("load", "broken").status, 200) << "it is not known yet";
  EXPECT_TRUE(running_becomes({"b"}));
  auto const failed = [this] {
    return entry("broken").at("status").as_object().contains("failed");
  };
  EXPECT_TRUE(eventually(failed));
  auto const answer = post("/tokenize", model_body("broken", R"(,"content":"x")"));
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(error_message(answer), "model name=broken failed to load");
  EXPECT_EQ(get("/slots?model=broken").status, 500);
  auto const now = entry("broken").at("status").as_object();
  EXPECT_EQ(now.at("value").as_string(), "unloaded");
  EXPECT_EQ(now.at("exit_code").as_int64(), 1);
}

SLOTSWAP_ON_BOTH(RouterRoomTest);

}  // namespace
}  // namespace slotswap::test
