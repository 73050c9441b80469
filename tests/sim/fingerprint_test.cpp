// A state goes back to the model it came from, and to no other that runs under its name.
#include "sim/traces.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

namespace slotswap::test {
namespace {

namespace fs = std::filesystem;
using llama_sim::Options;

constexpr char other_model[] = "it was saved with another model";

/// Anna's turn on a server that was just started again: the first request may meet a connection
/// that was closed.
void twice(House& house, std::string const& session) {
  for (int times = 0; times < 2; ++times) swap_in(house, session);
}

void expect_missed(House& house, std::string const& file, std::string const& reason) {
  EXPECT_EQ(restores_of(house, file), 0U);
  EXPECT_GE(lines_with(house, {"event=restore", "result=miss", reason}), 1U) << reason;
  EXPECT_EQ(data_of(house, "anna"), file);
  EXPECT_TRUE(saved(house, "anna"));
}

void expect_restored(House& house, std::string const& file) {
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
  EXPECT_GE(restores_of(house, file), 1U);
}

struct Row {
  char const* what;
  void (*change)(Options&);
  void (*back)(Options&);
};

Row const rows[] = {
    {"path", [](Options& o) { o.model_path = "/models/sim-v2.gguf"; },
     [](Options& o) { o.model_path.clear(); }},
    {"n_params", [](Options& o) { ++o.n_params; }, [](Options& o) { --o.n_params; }},
    {"size", [](Options& o) { ++o.model_size; }, [](Options& o) { --o.model_size; }},
    {"n_embd", [](Options& o) { ++o.n_embd; }, [](Options& o) { --o.n_embd; }},
    {"adapter",
     [](Options& o) {
       o.lora_adapters = {{"/models/a.gguf", 1.0}};
     },
     [](Options& o) { o.lora_adapters.clear(); }},
};

TEST(Fingerprint, another_model_of_that_name_leaves_the_states_of_the_first_alone) {
  for (auto const& row : rows) {
    SCOPED_TRACE(row.what);
    House house;
    talk(house);
    auto const file = data_of(house, "anna");
    house.sim->start_again(row.change);
    twice(house, "anna");
    expect_missed(house, file, other_model);
    house.sim->start_again(row.back);
    swap_in(house, "anna");
    expect_restored(house, file);
    EXPECT_EQ(house.log.count("event=quarantine"), 0U);
    EXPECT_EQ(house.log.count("event=quarantine"), 0U);
  }
}

TEST(Fingerprint, an_adapter_of_another_scale_is_another_model) {
  House house("", [](Options& o) { o.lora_adapters = {{"/models/a.gguf", 1.0}}; });
  talk(house);
  auto const file = data_of(house, "anna");
  house.sim->start_again([](Options& o) { o.lora_adapters.front().scale = 0.5; });
  twice(house, "anna");
  expect_missed(house, file, other_model);
}

TEST(Fingerprint, the_routes_own_text_is_part_of_it) {
  House house;
  talk(house);
  house.top_yaml = "defaults: {fingerprint: 'q8 cache'}\n";
  house.restart_proxy();
  auto const file = data_of(house, "anna");
  auto const in_the_slot = data_of(house, "ben");
  swap_in(house, "anna");
  expect_missed(house, file, other_model);
  // Ben was in the slot at the end and still is: by the text it is not his any more.
  EXPECT_EQ(house.log.count("state=held"), 0U);
  EXPECT_LT(house.sim->book().count("POST", "/slots/0?action=restore"), 1U);
  house.top_yaml.clear();
  house.restart_proxy();
  swap_in(house, "ben");
  EXPECT_EQ(restores_of(house, in_the_slot), 1U);
  expect_restored(house, file);
}

TEST(Fingerprint, a_larger_or_smaller_context_takes_what_fits_into_it) {
  House house;
  talk(house);
  auto const file = data_of(house, "anna");
  house.sim->start_again([](Options& o) { o.context = 64; });
  twice(house, "anna");
  expect_missed(house, file, "tokens, and the server's context only 64");
  std::size_t restores = 0;
  for (auto const context : {1024, 20'000}) {
    house.sim->start_again([&](Options& o) { o.context = context; });
    twice(house, "anna");
    EXPECT_GT(restores_of(house, file), restores) << context;
    restores = restores_of(house, file);
    EXPECT_GE(lines_with(house, {"event=restore", file, "result=ok"}), 1U);
  }
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
}

/// A model's file that is visible here.
struct Model {
  TempDir folder;
  std::string path = folder.file("sim.gguf");
  Model() { std::ofstream(path) << "weights"; }
};

TEST(Fingerprint, another_file_in_the_models_place_is_another_model) {
  Model const model;
  House house("", [&](Options& options) { options.model_path = model.path; });
  talk(house);
  auto const file = data_of(house, "anna");
  auto const before = fs::last_write_time(model.path);
  touch(model.path);
  house.sim->start_again();
  twice(house, "anna");
  expect_missed(house, file, other_model);
  fs::last_write_time(model.path, before);
  house.sim->start_again();
  swap_in(house, "anna");
  expect_restored(house, file);
}

bool asleep(House& house) {
  return request(house.sim->port(), "GET", "/props").body.find("\"is_sleeping\":true") !=
         std::string::npos;
}

// Longer than slotswap asks nothing behind an answer: 0.1 s at this scale.
void sleeps_soon(Options& options) {
  options.sleep_idle_seconds = 5;
}

TEST(Fingerprint, a_server_that_slept_is_asked_again_what_it_is) {
  House house("", sleeps_soon);
  talk(house);
  ASSERT_TRUE(eventually([&] { return asleep(house); }));
  auto const before = house.sim->book();
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
  auto const after = house.sim->book();
  EXPECT_EQ(after.count("GET", "/lora-adapters"), before.count("GET", "/lora-adapters") + 1);
  EXPECT_EQ(after.count("GET", "/v1/models"), before.count("GET", "/v1/models") + 1);
  EXPECT_EQ(after.wakes, before.wakes + 1);
}

TEST(Fingerprint, a_model_that_was_changed_while_it_slept_is_another_one) {
  Model const model;
  House house("", [&](Options& options) {
    options.model_path = model.path;
    sleeps_soon(options);
  });
  talk(house);
  auto const file = data_of(house, "anna");
  ASSERT_TRUE(eventually([&] { return asleep(house); }));
  touch(model.path);
  swap_in(house, "anna");
  expect_missed(house, file, other_model);
}

TEST(Fingerprint, an_idle_save_asks_a_sleeping_server_only_whether_it_sleeps) {
  House house("save_idle_seconds: 1");
  house.chat("anna", story("anna", 100));
  ASSERT_TRUE(house.settled());
  house.sim->fall_asleep();
  auto const before = house.sim->book();
  ASSERT_TRUE(eventually(
      [&] { return house.sim->book().count("GET", "/props") > before.count("GET", "/props"); }));
  house.proxy->stop();
  auto const after = house.sim->book();
  EXPECT_EQ(after.calls.size(),
            before.calls.size() + after.count("GET", "/props") - before.count("GET", "/props"));
  EXPECT_EQ(after.wakes, 0U);
  EXPECT_TRUE(asleep(house));
  EXPECT_TRUE(house.files(".bin").empty());
}

}  // namespace
}  // namespace slotswap::test
