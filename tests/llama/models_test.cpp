#include <slotswap/json/scan.hpp>
#include <slotswap/llama/facts.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace slotswap::llama {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr auto single =
    R"({"models":[{"name":"tiny","model":"tiny","details":{"format":"gguf"}}],"object":"list","data":[{"id":"tiny","aliases":["t"],"meta":{"x":1.0}}]})";
constexpr auto other =
    R"({ "object":"list", "data":[ {"id":"mid","created":1e3} ,{"id":"tiny","meta":{"x":2.0}}], "models":[{"model":"mid"}]})";
constexpr auto router =
    R"({"data":[{"id":"a","status":{"value":"loaded"}},{"id":"b","status":{"value":"unloaded"}}],"object":"list"})";

TEST(ModelIds, come_in_the_order_of_the_list) {
  EXPECT_THAT(*read_model_ids(single), ElementsAre("tiny"));
  EXPECT_THAT(*read_model_ids(router), ElementsAre("a", "b"));
  EXPECT_THAT(*read_model_ids(R"({"data":[]})"), IsEmpty());
  EXPECT_THAT(*read_model_ids(R"({"data":[1,{"id":5},{},{"id":"x"}]})"), ElementsAre("x"));
}

TEST(ModelIds, what_is_no_list_is_a_fault) {
  for (auto const* const body :
       {"", "[]", "{}", R"({"data":{}})", R"({"error":{"message":"Loading model"}})"}) {
    auto const ids = read_model_ids(body);
    ASSERT_FALSE(ids) << body;
    EXPECT_EQ(ids.error().code, "bad_answer");
  }
}

TEST(FirstModel, is_told_with_what_it_is) {
  auto const model = read_first_model(
      R"({"object":"list","data":[{"id":"tiny","meta":{"vocab_type":1,"n_vocab":512,"n_ctx_train":4096,"n_embd":64,
      "n_params":131136,"size":263000000000,"ftype":"Q8_0"}},{"id":"other","meta":{"n_params":7}}]})");
  ASSERT_TRUE(model);
  EXPECT_EQ(model->id, "tiny");
  EXPECT_EQ(model->meta.n_params, 131'136);
  EXPECT_EQ(model->meta.size, 263'000'000'000);
  EXPECT_EQ(model->meta.n_vocab, 512);
  EXPECT_EQ(model->meta.n_embd, 64);
  EXPECT_EQ(model->meta.ftype, "Q8_0");
}

// As an older build says it, or one that sleeps.
TEST(FirstModel, what_is_not_said_of_it_is_nothing) {
  for (
      auto const* const body :
      {R"({"data":[{"id":"tiny"}]})", R"({"data":[{"id":"tiny","meta":null}]})",
       R"({"data":[7,{"meta":{"size":1}},{"id":"tiny","meta":{"n_params":"1","size":-1,"n_vocab":1.5,"ftype":2}}]})"}) {
    auto const model = read_first_model(body);
    ASSERT_TRUE(model) << body;
    EXPECT_EQ(model->id, "tiny");
    EXPECT_EQ(model->meta.n_params, 0);
    EXPECT_EQ(model->meta.size, 0);
    EXPECT_EQ(model->meta.n_vocab, 0);
    EXPECT_EQ(model->meta.ftype, "");
  }
}

TEST(FirstModel, a_list_without_one_is_a_fault) {
  for (auto const* const body : {"", "{}", R"({"data":{}})", R"({"data":[]})", R"({"data":[1,{}]})",
                                 R"({"data":[{"id":7}]})"}) {
    auto const model = read_first_model(body);
    ASSERT_FALSE(model) << body;
    EXPECT_EQ(model.error().code, "bad_answer");
  }
}

TEST(Adapters, differ_by_path_scale_and_order) {
  std::set<std::string> seen;
  for (auto const* const body :
       {"[]", R"([{"id":0,"path":"/a.gguf","scale":1.0}])",
        R"([{"id":0,"path":"/a.gguf","scale":0.5}])", R"([{"id":0,"path":"/b.gguf","scale":1.0}])",
        R"([{"id":0,"path":"/a.gguf"}])",
        R"([{"id":0,"path":"/a.gguf","scale":1.0},{"id":1,"path":"/b.gguf","scale":1.0}])",
        R"([{"id":0,"path":"/b.gguf","scale":1.0},{"id":1,"path":"/a.gguf","scale":1.0}])"}) {
    auto const adapters = read_adapters(body);
    ASSERT_TRUE(adapters) << body;
    EXPECT_TRUE(seen.insert(*adapters).second) << body;
  }
  EXPECT_EQ(*read_adapters("[]"), "");
}

TEST(Adapters, nothing_else_said_of_them_counts) {
  EXPECT_EQ(*read_adapters(R"([{"id":0,"path":"/a.gguf","scale":0.5}])"),
            *read_adapters(
                R"([{"task_name":"t","scale":0.5,"prompt_prefix":"p","path":"/a.gguf","id":7}])"));
}

TEST(Adapters, what_is_no_list_of_them_is_a_fault) {
  for (auto const* const body : {"", "{}", "null", "[1]", R"([{"path":"/a.gguf"},null])",
                                 R"({"error":{"message":"Loading model"}})"}) {
    auto const adapters = read_adapters(body);
    ASSERT_FALSE(adapters) << body;
    EXPECT_EQ(adapters.error().code, "bad_answer");
  }
}

TEST(MergeModels, each_model_once_as_it_came) {
  EXPECT_EQ(
      *merge_models({single, other, router}),
      R"({"models":[{"name":"tiny","model":"tiny","details":{"format":"gguf"}},{"model":"mid"}],"object":"list",)"
      R"("data":[{"id":"tiny","aliases":["t"],"meta":{"x":1.0}},{"id":"mid","created":1e3},)"
      R"({"id":"a","status":{"value":"loaded"}},{"id":"b","status":{"value":"unloaded"}}]})");
}

TEST(MergeModels, the_second_list_is_there_only_when_a_server_has_one) {
  EXPECT_EQ(
      *merge_models({router, router}),
      R"({"object":"list","data":[{"id":"a","status":{"value":"loaded"}},{"id":"b","status":{"value":"unloaded"}}]})");
  EXPECT_EQ(*merge_models({}), R"({"object":"list","data":[]})");
}

TEST(MergeModels, entries_without_a_name_stay) {
  EXPECT_EQ(*merge_models({R"({"data":[{"x":1},7]})", R"({"data":[{"x":1}]})"}),
            R"({"object":"list","data":[{"x":1},7,{"x":1}]})");
}

TEST(MergeModels, is_valid_json_and_one_bad_list_is_a_fault) {
  EXPECT_TRUE(json::parse(*merge_models({single, other})));
  EXPECT_FALSE(merge_models({single, "Not Found"}));
  EXPECT_FALSE(merge_models({R"({"models":[]})"}));
}

TEST(MergeModels, of_doubled_lists_the_last_counts) {
  EXPECT_EQ(*merge_models({R"({"data":[{"id":"a"}],"data":[{"id":"b"}]})"}),
            R"({"object":"list","data":[{"id":"b"}]})");
}

}  // namespace
}  // namespace slotswap::llama
