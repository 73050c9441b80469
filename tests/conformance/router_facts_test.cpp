// What a router says of itself and of its models, and what it answers where it has no model to ask.
#include "conformance/router.hpp"

#include <algorithm>

namespace slotswap::test {
namespace {

class RouterFactsTest : public RouterConformance {};

TEST_P(RouterFactsTest, props_tell_a_router_its_limit_and_whether_it_loads_by_itself) {
  start();
  auto const props = object_of(get("/props").body);
  EXPECT_EQ(props.at("role").as_string(), "router");
  EXPECT_EQ(props.at("max_instances").as_int64(), 2);
  EXPECT_TRUE(props.at("models_autoload").as_bool());
  EXPECT_EQ(props.at("build_info").as_string().front(), 'b');
  EXPECT_FALSE(props.contains("total_slots"));
  EXPECT_EQ(get("/health").status, 200) << "with no model loaded";
  RouterWish wish;
  wish.models_max = 0;
  wish.autoload = false;
  start(wish);
  auto const others = object_of(get("/props").body);
  EXPECT_EQ(others.at("max_instances").as_int64(), 0);
  EXPECT_FALSE(others.at("models_autoload").as_bool());
}

TEST_P(RouterFactsTest, the_models_are_listed_with_status_aliases_and_arguments) {
  RouterWish wish;
  wish.b_sleeps_after = 77;
  start(wish);
  for (auto const* path : {"/models", "/v1/models"}) {
    auto const list = object_of(get(path).body);
    EXPECT_EQ(list.at("data").as_array().size(), 5U) << path;
  }
  auto const a = entry("a");
  EXPECT_EQ(a.at("status").at("value").as_string(), "unloaded");
  EXPECT_EQ(a.at("aliases").as_array().size(), 2U);
  EXPECT_FALSE(a.contains("meta")) << "only of one that runs";
  EXPECT_FALSE(a.at("status").as_object().contains("failed"));
  auto const args = entry("b").at("status").at("args").as_array();
  auto const* const flag = std::find(args.begin(), args.end(), "--sleep-idle-seconds");
  ASSERT_LT(flag + 1, args.end());
  EXPECT_EQ(*(flag + 1), "77");
  use("a");
  EXPECT_EQ(status("a"), "loaded");
  EXPECT_TRUE(entry("a").at("meta").as_object().contains("n_params"));
}

TEST_P(RouterFactsTest, a_call_names_its_model_in_the_body_or_in_the_query_of_a_get) {
  start();
  auto const nameless = "model name is missing from the request";
  auto const words = prompt_body("x");
  for (auto const* path : {"/completion", "/completion?model=a", "/slots/0?action=erase&model=a"}) {
    auto const answer = post(path, words);
    EXPECT_EQ(answer.status, 400) << path;
    EXPECT_EQ(error_message(answer), nameless) << path;
  }
  for (auto const* path : {"/slots", "/lora-adapters", "/slots?model="}) {
    EXPECT_EQ(error_message(get(path)), nameless) << path;
  }
  EXPECT_EQ(error_message(get("/slots?model=x")), "model 'x' not found");
  EXPECT_EQ(error_message(post("/tokenize", model_body("x"))), "model 'x' not found");
  auto const bodyless = post("/slots/0?action=erase&model=a", "");
  EXPECT_EQ(bodyless.status, 400);
  EXPECT_NE(error_message(bodyless).find("parse error"), std::string::npos);
  EXPECT_EQ(get("/nothing?model=a").status, 404);
  EXPECT_TRUE(running().empty());
}

TEST_P(RouterFactsTest, an_alias_is_the_model) {
  start();
  auto const one = complete("first", story("x", 20));
  EXPECT_EQ(one.reused, 0);
  EXPECT_EQ(complete("a", story("x", 20)).read, 1) << "it is in the same slot";
  EXPECT_EQ(running(), (std::vector<std::string>{"a"}));
  EXPECT_EQ(get("/slots?model=second&autoload=false").status, 200);
  EXPECT_EQ(error_message(order("load", "first")), "model is already running");
  EXPECT_EQ(order("unload", "second").status, 200);
  EXPECT_TRUE(becomes("a", "unloaded"));
}

TEST_P(RouterFactsTest, without_autoload_nothing_is_loaded) {
  start();
  for (auto const* no : {"false", "0"}) {
    auto const end = std::string("autoload=") + no;
    auto const looked = get(std::string("/slots?model=") + odd_name_encoded + "&" + end);
    EXPECT_EQ(looked.status, 400);
    EXPECT_EQ(error_message(looked), "model is not loaded");
    EXPECT_EQ(error_message(get("/props?model=a&" + end)), "model is not loaded");
    EXPECT_EQ(error_message(slot_call("a", "erase", "&" + end)), "model is not loaded");
  }
  EXPECT_TRUE(running().empty());
  RouterWish wish;
  wish.autoload = false;
  start(wish);
  EXPECT_EQ(error_message(get("/slots?model=a")), "model is not loaded");
  EXPECT_EQ(get("/slots?model=a&autoload=true").status, 200);
  EXPECT_EQ(status("a"), "loaded");
}

TEST_P(RouterFactsTest, what_a_model_answers_comes_in_chunks_and_with_a_connection_field_too_many) {
  start();
  use("a");
  for (auto const* path : {"/slots?model=a&autoload=false", "/props?model=a"}) {
    RawClient client(subject().port());
    client.send(make_request("GET", path));
    auto const answer = read_answer(client);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.header("transfer-encoding"), "chunked");
    EXPECT_EQ(answer.header("content-length"), std::nullopt);
    EXPECT_EQ(answer.header("connection"), "close");
    EXPECT_EQ(answer.header("keep-alive"), "timeout=5, max=100");
    EXPECT_EQ(answer.header("x-accel-buffering"), "no");
    EXPECT_TRUE(client.closed_within(Milliseconds{5000})) << "it does close";
  }
  auto const refused = slot_call("a", "restore");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.header("transfer-encoding"), "chunked");
  EXPECT_EQ(refused.count("connection"), 2U);
  EXPECT_EQ(get("/props").header("transfer-encoding"), std::nullopt) << "of the router itself";
  RawClient client(subject().port());
  client.send(make_request("GET", "/slots"));
  auto const own = read_answer(client);
  EXPECT_EQ(own.status, 400);
  EXPECT_EQ(own.count("connection"), 1U);
  EXPECT_TRUE(client.closed_within(Milliseconds{5000}));
}

TEST_P(RouterFactsTest, the_answers_to_a_refused_load_or_unload) {
  start();
  for (auto const& body : {model_body("x"), std::string("{}"), std::string(R"({"model":3})")}) {
    auto const load = post("/models/load", body);
    EXPECT_EQ(load.status, 404) << body;
    EXPECT_EQ(error_message(load), "File Not Found");
    auto const unload = post("/models/unload", body);
    EXPECT_EQ(unload.status, 400) << body;
    EXPECT_EQ(error_message(unload), "model is not found");
  }
  EXPECT_EQ(post("/models/load", "x").status, 400);
  EXPECT_EQ(post("/models/unload", "x").status, 400);
  auto const idle = order("unload", "a");
  EXPECT_EQ(idle.status, 400);
  EXPECT_EQ(error_message(idle), "model is not running");
}

SLOTSWAP_ON_BOTH(RouterFactsTest);

}  // namespace
}  // namespace slotswap::test
