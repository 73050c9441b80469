#include <slotswap/llama/facts.hpp>

#include <gtest/gtest.h>

namespace slotswap::llama {
namespace {

template <class T>
void expect_bad_answer(base::Result<T> const& result, std::string_view text) {
  ASSERT_FALSE(result) << text;
  EXPECT_EQ(result.error().code, "bad_answer");
  EXPECT_EQ(result.error().side, base::Side::server);
  EXPECT_FALSE(result.error().detail.empty());
}

TEST(Props, of_a_single_server) {
  auto const props = read_props(
      R"({"default_generation_settings":{"params":{"n_ctx":1,"temperature":0.8},"n_ctx":16384},"total_slots":1,"model_alias":"tiny",
      "model_path":"/models/tiny.gguf","modalities":{"vision":false,"audio":false},"media_marker":"<__media_k3x__>",
      "chat_template":"{{ x }}","build_info":"b11669-Debian","is_sleeping":true})");
  ASSERT_TRUE(props);
  EXPECT_FALSE(props->router);
  EXPECT_EQ(props->total_slots, 1);
  EXPECT_EQ(props->n_ctx, 16384);
  EXPECT_TRUE(props->sleeping);
  EXPECT_EQ(props->model_path, "/models/tiny.gguf");
  EXPECT_EQ(props->model_alias, "tiny");
  EXPECT_EQ(props->media_marker, "<__media_k3x__>");
  EXPECT_EQ(props->build, "b11669-Debian");
}

TEST(Props, of_a_router) {
  auto const props = read_props(
      R"({"role":"router","max_instances":4,"models_autoload":true,"build_info":"b11669-Debian"})");
  ASSERT_TRUE(props);
  EXPECT_TRUE(props->router);
  EXPECT_EQ(props->total_slots, 0);
  EXPECT_EQ(props->build, "b11669-Debian");
}

TEST(Props, missing_and_wrong_members_are_left_at_nothing) {
  for (
      auto const* const body :
      {"{}",
       R"({"total_slots":"1","is_sleeping":0,"model_path":null,"role":7,"default_generation_settings":[]})",
       R"({"total_slots":-1})", R"({"total_slots":99999999999})"}) {
    auto const props = read_props(body);
    ASSERT_TRUE(props) << body;
    EXPECT_EQ(props->total_slots, 0);
    EXPECT_FALSE(props->router);
    EXPECT_FALSE(props->sleeping);
    EXPECT_EQ(props->model_path, "");
  }
  for (auto const* const body : {"", "[]", "Not Found", "{\"total_slots\":1"})
    expect_bad_answer(read_props(body), body);
}

TEST(Slots, a_fresh_process_says_little) {
  auto const looks =
      read_slots(R"([{"id":0,"n_ctx":16384,"speculative":false,"is_processing":false}])");
  ASSERT_TRUE(looks);
  ASSERT_EQ(looks->size(), 1U);
  EXPECT_EQ(looks->front().id, 0);
  EXPECT_FALSE(looks->front().busy);
  EXPECT_EQ(looks->front().task, std::nullopt);
  EXPECT_EQ(looks->front().tokens, std::nullopt);
}

TEST(Slots, a_used_slot_has_its_stamp) {
  auto const looks = read_slots(
      R"([{"id":0,"is_processing":false,"id_task":30,"n_prompt_tokens":77,"n_prompt_tokens_processed":0,"params":{"id":9},
      "next_token":[{"n_decoded":4}]},{"id":1,"is_processing":true,"id_task":0,"n_prompt_tokens":0}])");
  ASSERT_TRUE(looks);
  ASSERT_EQ(looks->size(), 2U);
  EXPECT_EQ(looks->at(0).task, 30);
  EXPECT_EQ(looks->at(0).tokens, 77);
  EXPECT_EQ(looks->at(1).id, 1);
  EXPECT_TRUE(looks->at(1).busy);
  EXPECT_EQ(looks->at(1).task, 0);
  EXPECT_EQ(looks->at(1).tokens, 0);
}

TEST(Slots, what_is_no_list_of_slots_is_a_fault) {
  for (
      auto const* const body :
      {"", "{}", "null", "[1]", R"([{"id":0}])", R"([{"is_processing":false}])",
       R"([{"id":"0","is_processing":false}])",
       R"({"error":{"code":501,"message":"This server does not support slots endpoint. Start it with `--slots`"}})"}) {
    expect_bad_answer(read_slots(body), body);
  }
  EXPECT_TRUE(read_slots("[]")->empty());
}

TEST(SlotCalls, say_what_they_did) {
  auto const saved = read_saved(
      R"({"id_slot":0,"filename":"x.bin","n_saved":77,"n_written":80228,"timings":{"save_ms":0.2}})");
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->tokens, 77);
  EXPECT_EQ(saved->bytes, 80228);
  auto const restored = read_restored(
      R"({"id_slot":0,"filename":"x.bin","n_restored":0,"n_read":36,"timings":{"restore_ms":0.3}})");
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->tokens, 0);
  EXPECT_EQ(restored->bytes, 36);
  EXPECT_EQ(*read_erased(R"({"id_slot":0,"n_erased":77})"), 77);
}

TEST(SlotCalls, an_answer_without_its_numbers_is_a_fault) {
  for (auto const* const body :
       {"", "[]", "{}", R"({"n_saved":77})", R"({"n_written":1,"n_restored":1})",
        R"({"n_saved":-1,"n_written":5})", R"({"n_saved":"7","n_written":5,"n_erased":1.5})",
        R"({"n_read":5,"n_erased":null})"}) {
    expect_bad_answer(read_saved(body), body);
    expect_bad_answer(read_restored(body), body);
    expect_bad_answer(read_erased(body), body);
  }
}

TEST(ErrorMessage, is_the_servers_own_or_the_beginning) {
  EXPECT_EQ(
      error_message(
          R"({"error":{"code":400,"message":"Invalid slot ID","type":"invalid_request_error"}})"),
      "Invalid slot ID");
  EXPECT_EQ(error_message(R"({"error":"plain"})"), "plain");
  EXPECT_EQ(error_message("proxy error: Failed to read connection\n"),
            "proxy error: Failed to read connection");
  EXPECT_EQ(error_message(R"({"error":{"code":400}})"), R"({"error":{"code":400}})");
  EXPECT_EQ(error_message(" "), "an empty answer");
}

TEST(ErrorMessage, a_long_text_is_cut_between_characters) {
  EXPECT_EQ(error_message(std::string(200, 'x')), std::string(200, 'x'));
  EXPECT_EQ(error_message(std::string(201, 'x')), std::string(200, 'x') + "...");
  EXPECT_EQ(error_message(std::string(199, 'x') + "\xC3\xA4"), std::string(199, 'x') + "...");
  EXPECT_EQ(error_message(std::string(300, '\xFF')), std::string(200, '\xFF') + "...");
}

TEST(ReadProbe, tells_whether_slots_can_be_swapped) {
  struct Row {
    int status;
    char const* body;
    Probe probe;
  };
  for (
      auto const& row :
      {Row{400,
           R"({"error":{"code":400,"message":"Invalid action","type":"invalid_request_error"}})",
           Probe::swappable},
       Row{400, R"({"error":{"code":400,"message":"model name is missing from the request"}})",
           Probe::unknown},
       Row{501,
           R"({"error":{"message":"This server does not support slots action. Start it with `--slot-save-path`"}})",
           Probe::no_save_path},
       Row{503, R"({"error":{"message":"Loading model","type":"unavailable_error","code":503}})",
           Probe::loading},
       Row{401, R"({"error":{"message":"Invalid API Key"}})", Probe::refused_key},
       Row{403, "", Probe::refused_key},
       Row{404, R"({"error":{"message":"File Not Found"}})", Probe::unknown},
       Row{200, "{}", Probe::unknown}, Row{400, "", Probe::unknown}}) {
    EXPECT_EQ(read_probe(row.status, row.body), row.probe) << row.status << ' ' << row.body;
  }
}

}  // namespace
}  // namespace slotswap::llama
