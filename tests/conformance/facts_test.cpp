// What a llama-server says of itself.
#include "conformance/conformance.hpp"

#include <boost/json/parse.hpp>

namespace slotswap::test {
namespace {

class FactsTest : public Conformance {
 protected:
  std::string marker() { return member("media_marker"); }
  std::string member(char const* name) {
    return std::string(object_of(get("/props").body).at(name).as_string());
  }
};

TEST_P(FactsTest, props_tell_the_slots_the_context_the_model_and_the_build) {
  start();
  auto const answer = get("/props");
  ASSERT_EQ(answer.status, 200) << answer.body;
  auto const props = object_of(answer.body);
  EXPECT_EQ(props.at("total_slots").as_int64(), 1);
  EXPECT_EQ(props.at("default_generation_settings").at("n_ctx").as_int64(), 4096);
  EXPECT_EQ(props.at("model_alias").as_string(), "tested");
  EXPECT_FALSE(props.at("model_path").as_string().empty());
  EXPECT_FALSE(props.at("media_marker").as_string().empty());
  EXPECT_EQ(props.at("build_info").as_string().front(), 'b');
  EXPECT_FALSE(props.at("is_sleeping").as_bool());
  EXPECT_FALSE(props.contains("role")) << "only a router has one";
}

TEST_P(FactsTest, the_media_marker_is_another_one_after_a_restart_only) {
  auto& server = start();
  auto const before = marker();
  complete("some words");
  EXPECT_EQ(marker(), before);
  server.restart();
  EXPECT_NE(marker(), before);
}

TEST_P(FactsTest, a_fresh_slot_shows_four_members) {
  start();
  auto const slots = boost::json::parse(get("/slots").body).as_array();
  ASSERT_EQ(slots.size(), 1U);
  auto const& slot = slots.at(0).as_object();
  EXPECT_EQ(slot.size(), 4U) << slot;
  EXPECT_EQ(slot.at("id").as_int64(), 0);
  EXPECT_EQ(slot.at("n_ctx").as_int64(), 4096);
  EXPECT_FALSE(slot.at("is_processing").as_bool());
}

TEST_P(FactsTest, the_models_name_the_alias_and_say_what_the_model_is) {
  start();
  for (auto const* path : {"/v1/models", "/models"}) {
    auto const answer = get(path);
    ASSERT_EQ(answer.status, 200) << path;
    auto const body = object_of(answer.body);
    EXPECT_EQ(body.at("object").as_string(), "list");
    EXPECT_EQ(body.at("models").as_array().at(0).at("name").as_string(), "tested");
    auto const& model = body.at("data").as_array().at(0).as_object();
    EXPECT_EQ(model.at("id").as_string(), "tested");
    auto const& meta = model.at("meta").as_object();
    for (auto const* name :
         {"n_vocab", "n_ctx", "n_ctx_train", "n_embd", "n_params", "size", "ftype"}) {
      EXPECT_TRUE(meta.contains(name)) << name;
    }
  }
}

TEST_P(FactsTest, without_adapters_their_list_is_empty) {
  start();
  auto const answer = get("/lora-adapters");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "[]");
}

TEST_P(FactsTest, health_is_a_constant) {
  start();
  for (auto const* path : {"/health", "/v1/health"}) {
    auto const answer = get(path);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, R"({"status":"ok"})");
  }
}

TEST_P(FactsTest, an_unknown_path_is_404) {
  start();
  for (auto const& answer : {get("/nothing"), post("/nothing", "{}"), get("/slots/0")}) {
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(error_message(answer), "File Not Found");
    EXPECT_EQ(error_type(answer), "not_found_error");
    EXPECT_EQ(object_of(answer.body).at("error").at("code").as_int64(), 404);
  }
}

TEST_P(FactsTest, without_the_slots_endpoint_the_flag_is_named) {
  Wish wish;
  wish.slots_endpoint = false;
  start(wish);
  auto const answer = get("/slots");
  EXPECT_EQ(answer.status, 501);
  EXPECT_EQ(error_message(answer),
            "This server does not support slots endpoint. Start it with `--slots`");
}

TEST_P(FactsTest, without_a_slot_folder_every_action_names_the_flag) {
  Wish wish;
  wish.can_save = false;
  start(wish);
  for (auto const* action : {"save", "restore", "erase", "probe"}) {
    auto const answer = slot_call(action, "a.bin");
    EXPECT_EQ(answer.status, 501) << action;
    EXPECT_EQ(error_message(answer),
              "This server does not support slots action. Start it with `--slot-save-path`");
    EXPECT_EQ(error_type(answer), "not_supported_error");
  }
}

TEST_P(FactsTest, what_needs_no_slot_leaves_slot_and_stamp_alone) {
  start();
  complete("some words that are held");
  auto const before = look();
  struct Row {
    char const* path;
    char const* body;
    int status;
  };
  for (auto const& row :
       {Row{"/tokenize", R"({"content":"one two"})", 200},
        Row{"/apply-template", R"({"messages":[{"role":"user","content":"x"}]})", 200},
        Row{"/v1/messages/count_tokens", R"({"messages":[{"role":"user","content":"x"}]})", 200},
        Row{"/v1/embeddings", R"({"input":"x"})", 501}, Row{"/v1/chat/completions", "{bad", 400},
        Row{"/v1/chat/completions", "{}", 400}, Row{"/completion", R"({"n_predict":1})", 400},
        Row{"/v1/chat/completions", R"({"n":2,"messages":[{"role":"user","content":"x"}]})", 400},
        Row{"/slots/0?action=probe", "", 400}}) {
    auto const answer = post(row.path, row.body);
    EXPECT_EQ(answer.status, row.status) << row.path << ' ' << answer.body;
    EXPECT_EQ(look(), before) << row.path << ' ' << row.body;
  }
}

SLOTSWAP_ON_BOTH(FactsTest);

}  // namespace
}  // namespace slotswap::test
