// What a completion says of its prompt, and what the slot holds afterwards.
#include "conformance/conformance.hpp"

namespace slotswap::test {
namespace {

class CompletionTest : public Conformance {};

TEST_P(CompletionTest, the_slot_holds_all_but_the_last_word_and_its_task_moves) {
  start();
  auto const first = complete(story("a", 30));
  auto const after_first = look();
  EXPECT_FALSE(after_first.busy);
  ASSERT_TRUE(after_first.task && after_first.held);
  EXPECT_EQ(*after_first.held, first.reused + first.read + first.generated - 1);

  auto const second = complete(story("a", 60), R"("n_predict":7,)");
  auto const after_second = look();
  ASSERT_TRUE(after_second.task && after_second.held);
  EXPECT_GT(*after_second.task, *after_first.task);
  EXPECT_EQ(*after_second.held, second.reused + second.read + second.generated - 1);
  EXPECT_EQ(second.generated, 7);
}

TEST_P(CompletionTest, the_counts_hold_in_every_dialect_that_has_them) {
  start();
  struct Row {
    char const* path;
    std::string body;
  };
  for (auto const& row : {Row{"/completion", prompt_body(story("a", 20))},
                          Row{"/completions", prompt_body(story("b", 20))},
                          Row{"/v1/completions", prompt_body(story("c", 20))},
                          Row{"/v1/chat/completions", chat_body(story("d", 20))},
                          Row{"/chat/completions", chat_body(story("e", 20))}}) {
    auto const answer = post(row.path, row.body);
    ASSERT_EQ(answer.status, 200) << row.path << answer.body;
    auto const counts = counts_of(object_of(answer.body));
    EXPECT_EQ(counts.generated, 4) << row.path;
    EXPECT_EQ(look().held, counts.reused + counts.read + counts.generated - 1) << row.path;
  }
}

TEST_P(CompletionTest, the_same_prompt_again_is_read_for_one_token) {
  start();
  auto const first = complete(story("a", 50));
  auto const again = complete(story("a", 50));
  EXPECT_EQ(again.read, 1);
  EXPECT_EQ(again.reused, first.reused + first.read - 1);
}

TEST_P(CompletionTest, another_prompt_keeps_the_common_beginning_only) {
  start();
  auto const first = complete(story("same", 50) + story("a", 50));
  auto const other = complete(story("same", 50) + story("b", 50));
  EXPECT_GT(other.reused, first.read * 4 / 10);
  EXPECT_LT(other.reused, first.read * 9 / 10);
  auto const foreign = complete(story("c", 50));
  EXPECT_LE(foreign.reused, 1) << "the mark of the beginning, if there is one";
}

TEST_P(CompletionTest, without_prompt_cache_all_is_read_and_held) {
  start();
  auto const first = complete(story("a", 30));
  auto const again = complete(story("a", 30), R"("cache_prompt":false,"n_predict":4,)");
  EXPECT_EQ(again.reused, 0);
  EXPECT_EQ(again.read, first.reused + first.read);
  EXPECT_EQ(look().held, again.read + again.generated - 1);
}

TEST_P(CompletionTest, the_usage_of_a_chat_tells_the_cached_tokens) {
  start();
  post("/v1/chat/completions", chat_body(story("a", 30)));
  auto const answer = object_of(post("/v1/chat/completions", chat_body(story("a", 30))).body);
  auto const counts = counts_of(answer);
  auto const& usage = answer.at("usage");
  EXPECT_GT(counts.reused, 0);
  EXPECT_EQ(usage.at("prompt_tokens_details").at("cached_tokens").as_int64(), counts.reused);
  EXPECT_EQ(usage.at("prompt_tokens").as_int64(), counts.reused + counts.read);
  EXPECT_EQ(usage.at("completion_tokens").as_int64(), counts.generated);
}

TEST_P(CompletionTest, messages_tell_the_cached_tokens_in_their_usage_and_have_no_timings) {
  start();
  post("/v1/messages", chat_body(story("a", 30)));
  auto const answer = post("/v1/messages", chat_body(story("a", 30)));
  ASSERT_EQ(answer.status, 200) << answer.body;
  auto const body = object_of(answer.body);
  EXPECT_EQ(body.at("type").as_string(), "message");
  EXPECT_FALSE(body.contains("timings"));
  EXPECT_EQ(body.at("usage").at("input_tokens").as_int64(), 1);
  EXPECT_GT(body.at("usage").at("cache_read_input_tokens").as_int64(), 0);
  EXPECT_EQ(body.at("usage").at("output_tokens").as_int64(), 4);
}

TEST_P(CompletionTest, a_prompt_over_the_context_moves_the_task_and_leaves_the_slot) {
  start();
  complete(story("a", 30));
  auto const before = look();
  for (auto const* more : {"", R"("stream":true,)"}) {
    auto const answer = post("/v1/chat/completions", chat_body(story("word", 5000), more));
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(answer.header("content-type"), "application/json; charset=utf-8");
    EXPECT_EQ(error_type(answer), "exceed_context_size_error");
    auto const body = object_of(answer.body);
    EXPECT_EQ(body.at("error").at("n_ctx").as_int64(), 4096);
    EXPECT_GT(body.at("error").at("n_prompt_tokens").as_int64(), 4096);
    auto const after = look();
    EXPECT_EQ(after.held, before.held);
    EXPECT_GT(after.task, before.task);
  }
  EXPECT_EQ(complete(story("a", 30)).read, 1);
}

TEST_P(CompletionTest, a_path_with_escapes_runs) {
  start();
  auto const answer = post("/v1/chat/%63ompletions", chat_body(story("a", 30)));
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_TRUE(look().task);
}

SLOTSWAP_ON_BOTH(CompletionTest);

}  // namespace
}  // namespace slotswap::test
