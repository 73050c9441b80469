#include <slotswap/json/scan.hpp>
#include <slotswap/llama/facts.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
