// What the server does wrong costs a prefill at most, never a request and never a good state.
#include "sim/house.hpp"

#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <future>

namespace slotswap::test {
namespace {

using llama_sim::Fault;

TEST(Faults, a_save_that_fails_costs_only_its_own_session_a_prefill) {
  House house;
  house.chat("anna", story("anna", 100));
  house.sim->order(Fault::save_error);
  EXPECT_EQ(house.chat("ben", story("ben", 100)).status, 200);
  EXPECT_EQ(house.log.count("note=save_refused"), 1U);
  EXPECT_EQ(house.chat("anna", story("anna", 101)).status, 200);
  EXPECT_GE(house.chat("ben", story("ben", 101)).reused, 99);
}

TEST(Faults, a_save_of_the_wrong_size_does_not_replace_the_older_state) {
  House house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  house.chat("anna", story("anna", 110));
  house.sim->order(Fault::save_short);
  house.chat("ben", story("ben", 101));
  auto const reply = house.chat("anna", story("anna", 111));
  EXPECT_GE(reply.reused, 99);
  EXPECT_LE(reply.reused, 105);
  EXPECT_EQ(house.sim->book().crashes, 0U);
}

TEST(Faults, a_save_that_hangs_is_bounded_and_the_request_goes_on) {
  House house("slot_call_timeout_seconds: 0.4");
  house.chat("anna", story("anna", 100));
  house.sim->order(Fault::save_hangs);
  EXPECT_EQ(house.chat("ben", story("ben", 100)).status, 200);
  EXPECT_EQ(house.log.count("note=call_failed"), 1U);
  EXPECT_EQ(house.chat("anna", story("anna", 101)).status, 200);
}

TEST(Faults, a_refused_restore_is_a_miss) {
  House house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  house.sim->order(Fault::restore_error);
  EXPECT_EQ(house.chat("anna", story("anna", 101)).status, 200);
  EXPECT_EQ(house.log.count("not restored: 400"), 1U);
  house.chat("ben", story("ben", 101));
  EXPECT_GE(house.chat("anna", story("anna", 102)).reused, 99);
}

TEST(Faults, a_restore_that_hangs_is_bounded) {
  House house("slot_call_timeout_seconds: 0.4");
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  house.sim->order(Fault::restore_hangs);
  EXPECT_EQ(house.chat("anna", story("anna", 101)).status, 200);
}

// As when the server is killed by somebody else in the middle of it.
TEST(Faults, a_state_whose_restore_got_no_answer_once_is_tried_again) {
  House house("slot_call_timeout_seconds: 0.4");
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  house.sim->order(Fault::restore_hangs);
  house.sim->order(Fault::inference_error);
  EXPECT_EQ(house.chat("anna", story("anna", 101)).status, 500);
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
}

TEST(Faults, a_state_whose_restore_got_no_answer_twice_is_left_alone) {
  House house("slot_call_timeout_seconds: 0.4");
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  for (int times = 0; times < 2; ++times) {
    house.sim->order(Fault::restore_hangs);
    house.sim->order(Fault::inference_error);
    EXPECT_EQ(house.chat("anna", story("anna", 101)).status, 500);
  }
  auto const calls = house.sim->book().count("POST", "/slots/0?action=restore");
  EXPECT_EQ(house.chat("anna", story("anna", 101)).status, 200);
  EXPECT_EQ(house.sim->book().count("POST", "/slots/0?action=restore"), calls);
}

TEST(Faults, a_file_that_was_deleted_is_never_asked_for) {
  House house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  for (auto const& file : house.files(".bin")) std::filesystem::remove(house.folder.path() / file);
  EXPECT_EQ(house.chat("anna", story("anna", 101)).status, 200);
  EXPECT_EQ(house.sim->book().count("POST", "/slots/0?action=restore"), 0U);
}

TEST(Faults, a_file_that_was_cut_is_never_offered) {
  House house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  for (auto const& file : house.files(".bin")) {
    auto const path = house.folder.path() / file;
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  }
  EXPECT_EQ(house.chat("anna", story("anna", 101)).status, 200);
  EXPECT_EQ(house.sim->book().crashes, 0U);
  EXPECT_TRUE(house.sim->alive());
}

TEST(Faults, a_killed_server_is_found_again_with_the_last_saved_state) {
  House house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  house.sim->kill();
  EXPECT_EQ(house.chat("anna", story("anna", 101)).status, 502);
  house.sim->start_again();
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
}

TEST(Faults, a_server_that_comes_back_with_another_model_keeps_the_old_ones_states) {
  House house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  house.sim->start_again([](llama_sim::Options& options) { options.model = "other"; });
  // The same session on the other model, then another one, so that it is saved.
  for (auto const* name : {"anna", "anna", "carl"}) house.chat(name, story(name, 100));
  house.sim->start_again([](llama_sim::Options& options) { options.model = "sim"; });
  house.chat("dora", story("dora", 20));
  house.chat("dora", story("dora", 21));
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
  house.proxy->stop();
  std::size_t of_sim = 0;
  std::size_t of_other = 0;
  for (auto const& file : house.files(".json")) {
    if (file.find(session::state_id("anna")) == std::string::npos) continue;
    file.rfind("sim-", 0) == 0 ? ++of_sim : ++of_other;
  }
  EXPECT_EQ(of_sim, 1U);
  EXPECT_EQ(of_other, 1U);
}

TEST(Faults, a_server_that_was_restarted_unseen_does_not_cost_a_state) {
  House house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  house.chat("anna", story("anna", 101));
  house.sim->start_again();
  // Nothing says so but the broken connection: what the slot held is gone, the file of before still
  // stands.
  auto const first = house.chat("ben", story("ben", 101));
  EXPECT_TRUE(first.status == 200 || first.status == 502) << first.status;
  EXPECT_GE(house.chat("ben", story("ben", 102)).reused, 99);
  EXPECT_GE(house.chat("anna", story("anna", 102)).reused, 99);
}

TEST(Faults, a_slept_server_is_neither_saved_empty_nor_kept_awake) {
  House house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  ASSERT_TRUE(house.settled());
  house.sim->fall_asleep();
  EXPECT_EQ(house.sim->book().wakes, 0U);
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
  EXPECT_EQ(house.sim->book().wakes, 1U);
}

TEST(Faults, an_idle_save_asks_another_process_nothing_that_could_wake_it) {
  House house("save_idle_seconds: 1");
  house.chat("anna", story("anna", 100));
  // The look behind the answer would meet the other process.
  ASSERT_TRUE(house.settled());
  house.sim->start_again();
  auto const before = house.sim->book();
  ASSERT_TRUE(eventually([&] { return house.log.count("state=lost") == 1; }));
  house.proxy->stop();
  auto const after = house.sim->book();
  EXPECT_GT(after.count("GET", "/props"), before.count("GET", "/props"));
  EXPECT_EQ(after.count("GET", "/slots"), before.count("GET", "/slots"));
  EXPECT_EQ(after.count("POST", "/slots"), before.count("POST", "/slots"));
  EXPECT_TRUE(house.files(".bin").empty());
}

TEST(Faults, a_server_that_loads_is_asked_again_when_it_is_needed) {
  House house;
  house.sim->order(Fault::loading, 2);  // the first contact and the request itself
  EXPECT_EQ(house.chat("anna", story("anna", 100)).status, 503);
  EXPECT_EQ(house.chat("anna", story("anna", 100)).status, 200);
  house.chat("ben", story("ben", 100));
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
}

TEST(Faults, slots_that_do_not_answer_are_busy_slots) {
  House house("busy_wait_seconds: 0");
  house.chat("anna", story("anna", 100));
  house.sim->order(Fault::slots_error);
  EXPECT_EQ(house.chat("ben", story("ben", 100)).status, 200);
  EXPECT_EQ(house.chat("anna", story("anna", 101)).status, 200);
}

TEST(Faults, a_stamp_that_does_not_come_is_asked_for_once_more) {
  for (auto const missing : {1, 2}) {
    House house;
    house.chat("anna", story("anna", 100));
    ASSERT_TRUE(house.settled());
    house.sim->order(Fault::slots_hang, missing);
    house.chat("anna", story("anna", 101));
    house.chat("ben", story("ben", 100));
    EXPECT_EQ(house.log.count("event=stamp"), missing == 1 ? 0U : 1U);
    EXPECT_EQ(house.log.count("event=save"), missing == 1 ? 1U : 0U);
  }
}

TEST(Faults, slots_that_fail_once_do_not_turn_swapping_off) {
  House house;
  house.sim->order(Fault::slots_error);  // the first contact
  EXPECT_EQ(house.chat("anna", story("anna", 100)).status, 200);
  EXPECT_EQ(house.log.count("state=not_swappable"), 0U);
  house.chat("anna", story("anna", 101));
  EXPECT_TRUE(house.settled());
  house.chat("ben", story("ben", 100));
  EXPECT_GE(house.chat("anna", story("anna", 102)).reused, 99);
}

// We closed its connection, and it may not have noticed yet.
TEST(Faults, a_server_whose_answer_cannot_be_read_is_waited_for) {
  House house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  house.sim->hold(llama_sim::Hold::prefill);
  house.sim->order(Fault::double_framing);
  EXPECT_EQ(house
                .ask("/v1/chat/completions", {{"X-Session-ID", "ben"}},
                     house.chat_body(story("ben", 120), R"("stream":true,)"))
                .status,
            502);
  auto next =
      std::async(std::launch::async, [&house] { return house.chat("anna", story("anna", 101)); });
  EXPECT_TRUE(eventually([&] { return house.sim->book().completions_cancelled == 1; }));
  house.sim->hold(llama_sim::Hold::nowhere);
  EXPECT_GE(next.get().reused, 99);
  EXPECT_EQ(house.sim->book().actions_beside_work, 0U);
}

TEST(Faults, an_answer_that_breaks_off_is_never_given_a_clean_end) {
  House house("", [](llama_sim::Options& options) { options.decode_tps = 100; });
  house.chat("anna", story("anna", 30));
  house.sim->order(Fault::drop_answer);
  auto const broken = house.ask("/v1/chat/completions", {{"X-Session-ID", "ben"}},
                                house.chat_body(story("ben", 30), R"("stream":true,)"));
  EXPECT_EQ(broken.status, 200);
  EXPECT_FALSE(broken.complete);
  EXPECT_EQ(house.log.count("cut=true"), 1U);
  EXPECT_GE(house.chat("anna", story("anna", 31)).reused, 29);
}

TEST(Faults, the_wrong_folder_is_one_warning) {
  TempDir elsewhere;
  House house("max_files: 2", [&](llama_sim::Options& options) {
    options.slot_save_path = elsewhere.path().string();
  });
  for (int turn = 0; turn < 2; ++turn) {
    for (auto const* name : {"anna", "ben"})
      EXPECT_EQ(house.chat(name, story(name, 100 + turn)).status, 200);
  }
  EXPECT_EQ(house.log.count("not under save_path"), 1U);
  EXPECT_GE(house.chat("anna", story("anna", 105)).reused, 99);
}

}  // namespace
}  // namespace slotswap::test
