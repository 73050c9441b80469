// A simulated server that is made another one: its model, its adapters, its settings.
#include "stage.hpp"

#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

#include <filesystem>

namespace slotswap::llama_sim {
namespace {

namespace json = boost::json;

json::value json_of(test::HttpAnswer const& answer) {
  return json::parse(answer.body);
}

TEST(SimOptions, another_model_is_told_by_its_path_and_its_numbers) {
  Stage stage;
  EXPECT_EQ(json_of(stage.get("/props")).at("model_path").as_string(), "/models/sim.gguf");
  stage.sim.start_again([](Options& options) {
    options.model_path = "/other/model.gguf";
    options.n_params = 77;
    options.model_size = 154;
    options.n_embd = 32;
  });
  EXPECT_EQ(json_of(stage.get("/props")).at("model_path").as_string(), "/other/model.gguf");
  auto const models = json_of(stage.get("/v1/models"));
  auto const& meta = models.at("data").at(0).at("meta");
  EXPECT_EQ(meta.at("n_params").as_int64(), 77);
  EXPECT_EQ(meta.at("size").as_int64(), 154);
  EXPECT_EQ(meta.at("n_embd").as_int64(), 32);
}

TEST(SimOptions, adapters_are_listed_with_path_and_scale) {
  Stage stage;
  EXPECT_EQ(stage.get("/lora-adapters").body, "[]");
  stage.sim.start_again([](Options& options) {
    LoraAdapter adapter;
    adapter.path = "/loras/a.gguf";
    adapter.scale = 0.5;
    options.lora_adapters = {adapter};
  });
  auto const adapters = json_of(stage.get("/lora-adapters")).as_array();
  ASSERT_EQ(adapters.size(), 1U);
  EXPECT_EQ(adapters.at(0).at("id").to_number<int>(), 0);
  EXPECT_EQ(adapters.at(0).at("path").as_string(), "/loras/a.gguf");
  EXPECT_EQ(adapters.at(0).at("scale").as_double(), 0.5);
}

TEST(SimOptions, a_file_of_another_shape_is_refused_whole_or_cut) {
  Stage stage;
  stage.post("/completion", words);
  stage.slot_call("save");
  auto const shape = [](std::uint64_t bytes) {
    return [bytes](Options& options) { options.bytes_per_token = bytes; };
  };
  stage.sim.start_again(shape(512));
  EXPECT_EQ(stage.slot_call("restore").status, 400);
  stage.sim.start_again(shape(256));
  EXPECT_EQ(stage.slot_call("restore").status, 200);
  auto const file = stage.folder.path() / "a.bin";
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  stage.sim.start_again(shape(512));
  EXPECT_EQ(stage.slot_call("restore").status, 400);
  EXPECT_TRUE(stage.sim.alive());
}

}  // namespace
}  // namespace slotswap::llama_sim
