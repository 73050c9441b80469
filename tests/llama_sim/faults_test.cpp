// Every fault happens as often as it was ordered, and looks as it should from outside.
#include "llama_sim/slot_file.hpp"
#include "stage.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace slotswap::llama_sim {
namespace {

TEST(SimFaults, answers_of_errors_come_once_and_then_all_is_well) {
  struct Row {
    Fault fault;
    char const* method;
    char const* target;
    char const* body;
    int status;
  };
  constexpr auto file = R"({"filename":"a.bin"})";
  Stage stage;
  stage.post("/completion", words);
  stage.slot_call("save");
  for (auto const& row : {Row{Fault::save_error, "POST", "/slots/0?action=save", file, 500},
                          Row{Fault::restore_error, "POST", "/slots/0?action=restore", file, 400},
                          Row{Fault::props_error, "GET", "/props", "", 500},
                          Row{Fault::slots_error, "GET", "/slots", "", 500},
                          Row{Fault::loading, "GET", "/health", "", 503},
                          Row{Fault::inference_error, "POST", "/completion", words, 500}}) {
    stage.sim.order(row.fault);
    auto const ask = [&] {
      return test::request(stage.sim.port(), row.method, row.target, {}, row.body).status;
    };
    EXPECT_EQ(ask(), row.status) << row.target;
    EXPECT_EQ(ask(), 200) << row.target;
  }
}

TEST(SimFaults, a_short_save_has_fewer_bytes_than_it_says_and_kills_at_its_restore) {
  Stage stage;
  stage.post("/completion", words);
  stage.sim.order(Fault::save_short);
  auto const answer = stage.slot_call("save");
  EXPECT_EQ(answer.status, 200);
  auto const size = std::filesystem::file_size(stage.folder.path() / "a.bin");
  EXPECT_NE(answer.body.find("\"n_written\":" + std::to_string(size + 1)), std::string::npos)
      << answer.body;
  auto client = stage.begin("/slots/0?action=restore", R"({"filename":"a.bin"})");
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_FALSE(stage.sim.alive());
  EXPECT_EQ(stage.sim.book().crashes, 1U);
}

TEST(SimFaults, a_restore_that_dies_takes_a_good_file_with_it_once) {
  Stage stage;
  stage.post("/completion", words);
  stage.slot_call("save");
  stage.sim.order(Fault::restore_dies);
  auto client = stage.begin("/slots/0?action=restore", R"({"filename":"a.bin"})");
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_FALSE(stage.sim.alive());
  EXPECT_EQ(stage.sim.book().crashes, 1U);
  stage.sim.start_again();
  EXPECT_EQ(stage.slot_call("restore").status, 200);
}

TEST(SimFaults, an_empty_save_says_so_whatever_is_held) {
  Stage stage;
  stage.post("/completion", words);
  stage.sim.order(Fault::save_empty);
  EXPECT_NE(stage.slot_call("save").body.find("\"n_saved\":0"), std::string::npos);
}

TEST(SimFaults, what_hangs_holds_the_slot_until_its_caller_leaves) {
  for (auto const fault : {Fault::save_hangs, Fault::restore_hangs}) {
    Stage stage;
    stage.sim.order(fault);
    auto const* action = fault == Fault::save_hangs ? "save" : "restore";
    auto client = stage.begin(std::string("/slots/0?action=") + action, R"({"filename":"a.bin"})");
    EXPECT_EQ(client.read_within(test::Milliseconds{60}), "");
    client.close();
    EXPECT_EQ(stage.post("/completion", words).status, 200);
  }
}

TEST(SimFaults, looks_that_hang_hold_nobody_else) {
  Stage stage;
  stage.sim.order(Fault::slots_hang);
  test::RawClient client(stage.sim.port());
  client.send(test::make_request("GET", "/slots"));
  EXPECT_EQ(client.read_within(test::Milliseconds{60}), "");
  EXPECT_EQ(stage.post("/completion", words).status, 200);
  EXPECT_EQ(stage.get("/slots").status, 200);
}

TEST(SimFaults, a_dropped_request_has_no_answer) {
  Stage stage;
  stage.sim.order(Fault::drop_request);
  auto client = stage.begin("/completion", words);
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(stage.post("/completion", words).status, 200);
}

TEST(SimFaults, a_kept_connection_is_dropped_at_its_next_request_only) {
  Stage stage;
  stage.sim.order(Fault::drop_kept);
  test::RawClient client(stage.sim.port());
  client.send(test::make_request("GET", "/props"));
  EXPECT_EQ(test::read_answer(client).status, 200);
  client.send(test::make_request("GET", "/props"));
  EXPECT_EQ(client.read_to_end(), "");
}

TEST(SimFaults, a_dropped_answer_is_cut_after_an_event_or_inside_one) {
  for (auto const fault : {Fault::drop_answer, Fault::half_event}) {
    Stage stage;
    stage.sim.order(fault);
    auto const answer = stage.post("/completion", stream);
    EXPECT_EQ(answer.status, 200);
    EXPECT_FALSE(answer.complete);
    EXPECT_EQ(answer.body.ends_with("\n\n"), fault == Fault::drop_answer) << answer.body;
    EXPECT_TRUE(test::eventually([&] { return stage.sim.idle(); }));
  }
}

TEST(SimFaults, double_framing_has_both_fields) {
  Stage stage;
  stage.sim.order(Fault::double_framing);
  auto client = stage.begin("/completion", stream);
  auto const head = test::read_head(client);
  EXPECT_EQ(head.header("transfer-encoding"), "chunked");
  EXPECT_EQ(head.header("content-length"), "10");
}

}  // namespace
}  // namespace slotswap::llama_sim
