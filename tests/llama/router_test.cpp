// What a router says of its models, as it was seen on the real one.
#include <slotswap/llama/facts.hpp>
#include <slotswap/llama/paths.hpp>
#include <slotswap/llama/router.hpp>

#include <gtest/gtest.h>

namespace slotswap::llama {
namespace {

using std::chrono::seconds;

TEST(RouterFacts, props_tell_the_role_and_the_limit) {
  auto const props = read_props(R"({"role":"router","max_instances":2,"models_autoload":false,
      "model_alias":"llama-server","model_path":"none","build_info":"b11669-Debian"})");
  ASSERT_TRUE(props);
  EXPECT_TRUE(props->router);
  EXPECT_EQ(props->max_instances, 2);
  EXPECT_FALSE(props->autoload);
  auto const older = read_props(R"({"role":"router"})");
  ASSERT_TRUE(older);
  EXPECT_FALSE(older->max_instances);
  EXPECT_TRUE(older->autoload);
}

TEST(RouterFacts, the_list_of_models) {
  auto const models = read_router_models(R"({"data":[
      {"id":"a","aliases":["aa","x:1"],"status":{"value":"loaded",
       "args":["llama-server","--port","1","--sleep-idle-seconds","60","--parallel","1"],
       "preset":"[a]\nctx-size = 8192\nstop-timeout = 3\n\n"}},
      {"id":"b","aliases":[],"status":{"value":"unloaded","args":["--sleep-idle-seconds"],
       "preset":"[b]\nstop-timeout = soon\n","failed":true,"exit_code":1}},
      {"id":"c","status":{"value":"sleeping"}}, {"id":"d","status":{"value":"loading"}},
      {"id":"e","status":{"value":"downloading"}}, {"id":"f"}, {"aliases":[]}, 7]})");
  ASSERT_TRUE(models);
  ASSERT_EQ(models->size(), 6U);
  auto const& a = models->front();
  EXPECT_EQ(a.id, "a");
  EXPECT_EQ(a.aliases, (std::vector<std::string>{"aa", "x:1"}));
  EXPECT_EQ(a.status, ModelStatus::loaded);
  EXPECT_EQ(a.sleep, seconds(60));
  EXPECT_EQ(a.stop, seconds(3));
  EXPECT_EQ((*models)[1].status, ModelStatus::absent);
  EXPECT_FALSE((*models)[1].sleep);
  EXPECT_FALSE((*models)[1].stop);
  EXPECT_EQ((*models)[2].status, ModelStatus::sleeping);
  EXPECT_EQ((*models)[3].status, ModelStatus::loading);
  EXPECT_EQ((*models)[4].status, ModelStatus::absent);
  EXPECT_FALSE((*models)[5].status);
  EXPECT_FALSE(read_router_models("{}"));
  EXPECT_FALSE(read_router_models("no"));
}

TEST(RouterFacts, one_model_of_the_list) {
  auto const list = R"({"data":[{"id":"a"},{"id":"b","meta":{"n_params":5,"ftype":"F16"}}]})";
  auto const model = read_model(list, "b");
  ASSERT_TRUE(model);
  EXPECT_EQ(model->meta.n_params, 5);
  EXPECT_FALSE(read_model(list, "c"));
}

struct EventRow {
  char const* data;
  char const* model;  // null: no status
  ModelStatus status;
  bool reload;
};

TEST(RouterFacts, events) {
  EventRow const rows[] = {
      {R"({"model":"a","event":"model_status","data":{"status":"loading"}})", "a",
       ModelStatus::loading, false},
      {R"({"model":"a","event":"status_change","data":{"status":"loaded","info":{"id":"a"}}})", "a",
       ModelStatus::loaded, false},
      {R"({"model":"a","event":"status_change","data":{"status":"unloaded","exit_code":0}})", "a",
       ModelStatus::absent, false},
      {R"({"model":"a","event":"status_change","data":{"status":"sleeping"}})", "a",
       ModelStatus::sleeping, false},
      {R"({"model":"*","event":"models_reload","data":{}})", nullptr, ModelStatus::absent, true},
      {R"({"model":"a","event":"model_remove"})", nullptr, ModelStatus::absent, true},
      {R"({"model":"a","event":"download_progress","data":{"status":"loaded"}})", nullptr,
       ModelStatus::absent, false},
      {R"({"event":"status_change","data":{"status":"loaded"}})", nullptr, ModelStatus::absent,
       false},
      {"[1]", nullptr, ModelStatus::absent, false},
      {"", nullptr, ModelStatus::absent, false},
  };
  for (auto const& row : rows) {
    auto const read = read_model_event(row.data);
    EXPECT_EQ(read.reload, row.reload) << row.data;
    ASSERT_EQ(read.status.has_value(), row.model != nullptr) << row.data;
    if (!read.status) continue;
    EXPECT_EQ(read.status->model, row.model);
    EXPECT_EQ(read.status->status, row.status) << row.data;
  }
}

TEST(RouterWork, what_a_call_without_a_slot_means_to_a_router) {
  EXPECT_EQ(router_work("POST", "/models/load"), RouterWork::load);
  EXPECT_EQ(router_work("POST", "/models//unload/"), RouterWork::unload);
  EXPECT_EQ(router_work("POST", "/tokenize"), RouterWork::model);
  EXPECT_EQ(router_work("GET", "/props"), RouterWork::model);
  EXPECT_EQ(router_work("HEAD", "/slots"), RouterWork::model);
  for (auto const* path : {"/models", "/models/sse", "/v1/models", "/health", "/v1/health", "/"})
    EXPECT_EQ(router_work("GET", path), RouterWork::none) << path;
  EXPECT_EQ(router_work("OPTIONS", "/tokenize"), RouterWork::none);
}

TEST(RouterWork, a_query_may_forbid_the_load) {
  EXPECT_TRUE(may_load(""));
  EXPECT_TRUE(may_load("model=a&autoload=true"));
  EXPECT_TRUE(may_load("autoload=1"));
  EXPECT_FALSE(may_load("model=a&autoload=false"));
  EXPECT_FALSE(may_load("autoload=0"));
}

}  // namespace
}  // namespace slotswap::llama
