#include <slotswap/llama/paths.hpp>

#include <gtest/gtest.h>

#include <ostream>

namespace slotswap::llama {

void PrintTo(Work work, std::ostream* out) {
  static constexpr char const* names[] = {"none", "slot", "other", "refused"};
  *out << names[static_cast<int>(work)];
}

namespace {

TEST(Paths, prompts_of_a_session_run_in_a_slot) {
  for (auto const* const path :
       {"/completion", "/completions", "/v1/completions", "/chat/completions",
        "/v1/chat/completions", "/responses", "/v1/responses", "/v1/messages", "/infill"}) {
    EXPECT_EQ(classify("POST", path), Work::slot) << path;
  }
}

TEST(Paths, messages_do_not_run_where_they_are_told_to) {
  for (auto const* const path : {"/completion", "/v1/completions", "/chat/completions",
                                 "/v1//chat/completions/", "/v1/responses"}) {
    EXPECT_TRUE(heeds_id_slot(path)) << path;
  }
  for (auto const* const path : {"/v1/messages", "/v1/messages/", "/infill", "/embedding", "/new"})
    EXPECT_FALSE(heeds_id_slot(path)) << path;
}

TEST(Paths, every_other_unknown_post_takes_the_lease) {
  for (auto const* const path : {"/embedding",
                                 "/embeddings",
                                 "/v1/embeddings",
                                 "/rerank",
                                 "/reranking",
                                 "/v1/rerank",
                                 "/v1/reranking",
                                 "/audio/transcriptions",
                                 "/v1/audio/transcriptions",
                                 "/v1/systemone",
                                 "/",
                                 "",
                                 "*",
                                 "/new",
                                 "/v1/new",
                                 "/v1/chat/completionsx",
                                 "/v1/streamer",
                                 "/v1/messages/batches",
                                 "/v1/responses/input_tokens/x",
                                 "/V1/chat/completions",
                                 "/tokenizer",
                                 "/x/tokenize",
                                 "/x/input_tokens"}) {
    EXPECT_EQ(classify("POST", path), Work::other) << path;
  }
}

TEST(Paths, slot_free_posts_pass) {
  for (auto const* const path :
       {"/tokenize", "/detokenize", "/apply-template", "/v1/messages/count_tokens",
        "/v1/responses/input_tokens", "/responses/input_tokens",
        "/v1/chat/completions/input_tokens", "/chat/completions/input_tokens",
        "/v1/chat/completions/control", "/v1/stream", "/v1/stream/abc", "/v1/streams/lookup",
        "/models/load", "/models/unload", "/props"}) {
    EXPECT_EQ(classify("POST", path), Work::none) << path;
  }
}

TEST(Paths, changes_of_slots_and_adapters_are_refused) {
  for (auto const* const path :
       {"/slots", "/slots/", "/slots/0", "/slots/0/", "/slots/7/x", "/lora-adapters",
        "/lora-adapters/", "//slots/0", "/slots//0", "/slots///0//", "/v1/../slots/0", "/./slots/0",
        "/slots/./0", "/../slots/0", "/x/y/../../slots/0", "/v1/stream/../../slots/0", "slots/0",
        "/slots/0?action=save", "/x/../lora-adapters"}) {
    EXPECT_EQ(classify("POST", path), Work::refused) << path;
  }
}

TEST(Paths, slashes_hide_nothing) {
  EXPECT_EQ(classify("POST", "//v1/chat/completions"), Work::slot);
  EXPECT_EQ(classify("POST", "/v1//chat/completions"), Work::slot);
  EXPECT_EQ(classify("POST", "/v1/chat/completions/"), Work::slot);
  EXPECT_EQ(classify("POST", "/v1/messages//"), Work::slot);
  EXPECT_EQ(classify("POST", "//tokenize/"), Work::none);
}

TEST(Paths, dot_segments_make_nothing_slot_free) {
  EXPECT_EQ(classify("POST", "/x/../tokenize"), Work::other);
  EXPECT_EQ(classify("POST", "/v1/stream/../chat/completions"), Work::slot);
  EXPECT_EQ(classify("POST", "/v1/stream/../embeddings"), Work::other);
  EXPECT_EQ(classify("POST", "/tokenize/.."), Work::other);
  EXPECT_EQ(classify("POST", "/v1/stream/..x"), Work::none);
}

TEST(Paths, only_a_post_runs_in_a_slot) {
  for (auto const* const method : {"GET", "HEAD", "OPTIONS", "DELETE", "PUT", "PATCH"}) {
    for (auto const* const path :
         {"/slots", "/v1/chat/completions", "/v1/models", "/lora-adapters", "/v1/stream/abc"}) {
      EXPECT_EQ(classify(method, path), Work::none) << method << ' ' << path;
    }
  }
}

}  // namespace
}  // namespace slotswap::llama
